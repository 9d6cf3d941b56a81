import { readsWorkspace } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { canSeeTeam, listTeamsById, teamRecord, Teams } from '#features/teams/index.ts'
import { listSecurityTeams } from './store.ts'

const SIZES = { size: 100, max: 100 }

export const listSecurityManagers = operation({
  name: 'list_security_managers',
  summary:
    'List the teams that work on the security findings of every repository of a workspace. For its members; secret teams are shown to their own members and to owners only.',
  keywords: ['who handles alerts', 'security team', 'security managers'],
  route: 'GET /workspaces/{workspace}/security-managers',
  toolset: 'security',
  access: readsWorkspace({ scope: 'workspace:read' }),
  input: Type.Object({ workspace: WorkspaceSlug, ...byPage(SIZES) }),
  output: Teams,
  list: 'page',

  handler: ({ hearth, db, caller, workspace }, paging) => {
    const window = windowOf(paging, SIZES)
    const rows = listTeamsById(db, listSecurityTeams(db, workspace.id)).filter((row) =>
      canSeeTeam(db, workspace, row, caller),
    )
    return pageOf(
      rows
        .slice(window.offset, window.offset + window.limit + 1)
        .map((row) => teamRecord(hearth, row, workspace, caller)),
      window,
    )
  },
})
