import { readsWorkspace } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { Team, TeamSlug } from './schema.ts'
import { requireTeam, teamRecord } from './teams.ts'

export const getTeam = operation({
  name: 'get_team',
  summary:
    'Get one team of a workspace with its counts, its review assignment and your role in it. For members of the workspace who can see it.',
  keywords: ['team details', 'about a team'],
  route: 'GET /workspaces/{workspace}/teams/{team}',
  toolset: 'teams',
  listed: 'default',
  access: readsWorkspace({ scope: 'workspace:read' }),
  input: Type.Object({ workspace: WorkspaceSlug, team: TeamSlug }),
  output: Team,

  handler: ({ hearth, db, caller, workspace }, { team }) =>
    teamRecord(hearth, requireTeam(db, workspace, team, caller), workspace, caller),
})
