import { readsWorkspace } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { Teams } from './schema.ts'
import { listTeamRows } from './store.ts'
import { teamViewerOf, teamRecords } from './teams.ts'

const SIZES = { size: 100, max: 100 }

export const listTeams = operation({
  name: 'list_teams',
  summary:
    'List the teams of a workspace, newest first; q narrows by a part of slug or name. For its members; secret teams are shown to their own members and to owners only.',
  keywords: ['all teams', 'groups of the organization'],
  route: 'GET /workspaces/{workspace}/teams',
  toolset: 'teams',
  listed: 'default',
  access: readsWorkspace({ scope: 'workspace:read' }),
  input: Type.Object({
    workspace: WorkspaceSlug,
    q: Type.Optional(Type.String({ maxLength: 100, description: 'A part of the slug or name.' })),
    ...byPage(SIZES),
  }),
  output: Teams,
  list: 'page',

  handler: ({ hearth, db, caller, workspace }, { q = '', ...paging }) => {
    const window = windowOf(paging, SIZES)
    const rows = listTeamRows(db, {
      workspace_id: workspace.id,
      eyes: teamViewerOf(workspace, caller),
      q: q.trim(),
      limit: window.limit + 1,
      offset: window.offset,
    })
    return pageOf(teamRecords(hearth, rows, workspace, caller), window)
  },
})
