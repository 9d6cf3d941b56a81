import { readsWorkspace } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { ListOf, Type, WorkspaceSlug } from '#core/schema.ts'
import { TeamMember, TeamRole, TeamSlug } from './schema.ts'
import { listTeamMemberRows } from './store-members.ts'
import { requireTeam, teamMemberRecords } from './teams.ts'

const SIZES = { size: 100, max: 100 }

export const listTeamMembers = operation({
  name: 'list_team_members',
  summary:
    'List the people of a team with their roles in it, newest account first. For members of the workspace who can see the team.',
  keywords: ['who is in a team', 'people of a team'],
  route: 'GET /workspaces/{workspace}/teams/{team}/members',
  toolset: 'teams',
  access: readsWorkspace({ scope: 'workspace:read' }),
  input: Type.Object({
    workspace: WorkspaceSlug,
    team: TeamSlug,
    role: Type.Optional(TeamRole),
    ...byPage(SIZES),
  }),
  output: ListOf(TeamMember),
  list: 'page',

  handler: ({ hearth, db, caller, workspace }, { team, role, ...paging }) => {
    const window = windowOf(paging, SIZES)
    const row = requireTeam(db, workspace, team, caller)
    const rows = listTeamMemberRows(db, {
      team_id: row.id,
      role,
      limit: window.limit + 1,
      offset: window.offset,
    })
    return pageOf(teamMemberRecords(hearth, rows), window)
  },
})
