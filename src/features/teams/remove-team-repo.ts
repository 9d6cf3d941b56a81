import { writesRepoAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, RepoPath, Type, WorkspaceSlug } from '#core/schema.ts'
import { invalid, notFound } from '#lib/errors.ts'
import { teamForRepo } from './team-for-repo.ts'
import { TeamSlug } from './schema.ts'
import { listTeamRepoRowsOf, removeTeamRepoRow } from './store-repos.ts'

export const removeTeamRepo = operation({
  name: 'remove_team_repo',
  summary:
    'Take back the role that a team has on a repository. One that comes from a team above is taken back there. For people with admin on the repository. The answer is empty.',
  keywords: ["take a team's access away", 'remove a repository from a team'],
  route: 'DELETE /workspaces/{workspace}/teams/{team}/repos/{owner}/{name}',
  toolset: 'teams',
  access: writesRepoAsPerson('admin', { scope: 'access:admin' }),
  input: Type.Object({ workspace: WorkspaceSlug, team: TeamSlug, repo: RepoPath }),
  output: Nothing,
  status: 204,
  annotations: { destructive: true },

  handler: ({ hearth, caller, repo, write }, path) =>
    write((tx) => {
      const team = teamForRepo(hearth, caller, repo, path)
      const [own] = listTeamRepoRowsOf(tx.db, team.id, repo.id)
      if (!own) throw notFound(`the role of the team ${team.slug} on ${repo.full_name}`)
      if (own.distance > 0)
        throw invalid(
          'team',
          `the team ${team.slug} has this role from the team ${own.from_slug} above it; take it back there`,
        )
      removeTeamRepoRow(tx, team.id, repo.id)
      tx.audit({
        action: 'team.repository_removed',
        target: { kind: 'team', id: team.id, name: team.slug },
        workspace_id: repo.workspace_id,
        repo_id: repo.id,
        data: { repository: repo.full_name, before: { role: own.role } },
      })
      return null
    }),
})
