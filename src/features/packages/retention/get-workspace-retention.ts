import { operation } from '#core/operation.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { readsWorkspaceAsOwner } from '#features/workspaces/index.ts'
import { retentionRecord } from './rules.ts'
import { Retention } from './schema.ts'

export const getWorkspaceRetention = operation({
  name: 'get_workspace_retention',
  summary:
    'Read the retention rule for the packages of a workspace that have none of their own. For its owners.',
  keywords: ['cleanup policy of packages'],
  route: 'GET /workspaces/{workspace}/packages/retention',
  toolset: 'packages',
  access: readsWorkspaceAsOwner({ scope: 'packages:admin' }),
  input: Type.Object({ workspace: WorkspaceSlug }),
  output: Retention,

  handler: ({ db, workspace }) =>
    retentionRecord(db, { workspace_id: workspace.id, package_id: null }),
})
