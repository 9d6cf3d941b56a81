import { getWorkspace } from '#features/workspaces/index.ts'
import type { Visit } from '../../site.ts'
import type { WorkspaceSummary } from '../workspaces/frame.tsx'

/** What those who are no member see of a workspace. */
export const workspaceSummary = async (visit: Visit, slug: string): Promise<WorkspaceSummary> => {
  const record = await visit.tryCall(getWorkspace, { workspace: slug })
  return record ?? { slug, name: slug, description: '', role: null, member_count: null }
}
