import { readsWorkspace } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { fullName } from '#features/repos/index.ts'
import { forbidden } from '#lib/errors.ts'
import { isSecurityManager } from '../managers/store.ts'
import { ALERT_KINDS } from '../schema.ts'
import { trendStart, TREND_WEEKS } from './trend.ts'
import { WorkspaceSecurity } from './schema.ts'
import { listReposWithFindings, listWeeks } from './store-trend.ts'

/** More repositories are not listed; the most severe are. */
const MAX_REPOS = 100

export const getWorkspaceSecurity = operation({
  name: 'get_workspace_security',
  summary:
    'The open security findings of all repositories of a workspace and their trend by week, for its owners and security managers.',
  route: null,
  access: readsWorkspace({ scope: 'security:read' }),
  input: Type.Object({ workspace: WorkspaceSlug }),
  output: WorkspaceSecurity,

  handler: ({ db, workspace, caller, now_ms }) => {
    if (workspace.role !== 'owner' && !isSecurityManager(db, workspace.id, caller.id))
      throw forbidden(
        'role',
        `only owners and security managers of the workspace ${workspace.slug} see its findings`,
      )
    const repos = listReposWithFindings(db, workspace.id, MAX_REPOS).map(
      ({ repo_id, ...counts }) => ({ repo: fullName(db, repo_id), ...counts }),
    )
    const weeks = listWeeks(db, { workspace_id: workspace.id }, ALERT_KINDS, {
      since: trendStart(now_ms),
      weeks: TREND_WEEKS,
    })
    return { repos, weeks }
  },
})
