import { writesRepoAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type, WorkspaceSlug } from '#core/schema.ts'
import { RoleWord } from '#features/repos/index.ts'
import { teamForRepo } from './team-for-repo.ts'
import { TeamRepo, TeamSlug } from './schema.ts'
import { listTeamRepoRowsOf, putTeamRepo } from './store-repos.ts'
import { teamRepoRecord } from './team-repos.ts'

export const setTeamRepo = operation({
  name: 'set_team_repo',
  summary:
    'Give a team a role on a repository of its workspace, or change it; the teams below inherit it. For people with admin on the repository. Answers with the repository and the role.',
  keywords: ['give a team access', 'team permission on a repository', 'let a team push'],
  route: 'PUT /workspaces/{workspace}/teams/{team}/repos/{owner}/{name}',
  toolset: 'teams',
  access: writesRepoAsPerson('admin', { scope: 'access:admin' }),
  input: Type.Object({ workspace: WorkspaceSlug, team: TeamSlug, repo: RepoPath, role: RoleWord }),
  output: TeamRepo,
  annotations: { idempotent: true },

  handler: ({ hearth, caller, repo, write }, { role, ...path }) =>
    write((tx) => {
      const team = teamForRepo(hearth, caller, repo, path)
      const before = listTeamRepoRowsOf(tx.db, team.id, repo.id).find(
        ({ distance }) => distance === 0,
      )
      putTeamRepo(tx, { team_id: team.id, repo_id: repo.id, role, added_by: caller.id })
      if (before?.role !== role) {
        tx.audit({
          action: before ? 'team.repository_role_changed' : 'team.repository_added',
          target: { kind: 'team', id: team.id, name: team.slug },
          workspace_id: repo.workspace_id,
          repo_id: repo.id,
          data: {
            repository: repo.full_name,
            before: before && { role: before.role },
            after: { role },
          },
        })
      }
      const record = teamRepoRecord(listTeamRepoRowsOf(tx.db, team.id, repo.id))
      if (!record) throw new TypeError('a role that was just given is missing')
      return record
    }),
})
