import { readsWorkspace } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { ListOf, Type, WorkspaceSlug } from '#core/schema.ts'
import { TeamRepo, TeamSlug } from './schema.ts'
import { listTeamRepoRows } from './store-repos.ts'
import { canSeeRepo, teamRepoRecord } from './team-repos.ts'
import { requireTeam } from './teams.ts'

export const listTeamRepos = operation({
  name: 'list_team_repos',
  summary:
    'List the repositories on which a team gives a role, newest first, with the role and the team above it that it comes from; those that you can see. For members of the workspace.',
  keywords: ['repositories of a team', 'what can a team access'],
  route: 'GET /workspaces/{workspace}/teams/{team}/repos',
  toolset: 'teams',
  access: readsWorkspace({ scope: 'workspace:read' }),
  input: Type.Object({ workspace: WorkspaceSlug, team: TeamSlug, ...byPage() }),
  output: ListOf(TeamRepo),
  list: 'page',

  handler: ({ hearth, db, caller, workspace }, { team, ...paging }) => {
    const window = windowOf(paging)
    const ways = Map.groupBy(
      listTeamRepoRows(db, requireTeam(db, workspace, team, caller).id),
      ({ repo_id }) => repo_id,
    )
    const visible: TeamRepo[] = []
    for (const rows of ways.values()) {
      if (visible.length > window.offset + window.limit) break
      const record = teamRepoRecord(rows)
      if (record && canSeeRepo(hearth, caller, record.full_name)) visible.push(record)
    }
    return pageOf(visible.slice(window.offset), window)
  },
})
