import { readsWorkspace } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { Teams, TeamSlug } from './schema.ts'
import { listChildRows } from './store.ts'
import { requireTeam, teamRecords } from './teams.ts'

const SIZES = { size: 100, max: 100 }

export const listChildTeams = operation({
  name: 'list_child_teams',
  summary:
    'List the teams right below a team, newest first; they inherit its roles on repositories. For members of the workspace who can see it.',
  keywords: ['nested teams', 'subteams', 'sub-teams'],
  route: 'GET /workspaces/{workspace}/teams/{team}/teams',
  toolset: 'teams',
  access: readsWorkspace({ scope: 'workspace:read' }),
  input: Type.Object({ workspace: WorkspaceSlug, team: TeamSlug, ...byPage(SIZES) }),
  output: Teams,
  list: 'page',

  handler: ({ hearth, db, caller, workspace }, { team, ...paging }) => {
    const window = windowOf(paging, SIZES)
    const rows = listChildRows(db, requireTeam(db, workspace, team, caller).id, {
      limit: window.limit + 1,
      offset: window.offset,
    })
    return pageOf(teamRecords(hearth, rows, workspace, caller), window)
  },
})
