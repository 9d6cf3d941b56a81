/** The common checks of the operations that give or take a team's role on a repository. */
import type { RepoGrant } from '#core/access.ts'
import type { UserCaller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { invalid, notFound } from '#lib/errors.ts'
import type { TeamRow } from './store.ts'
import { requireTeam } from './teams.ts'

/**
 * The team of a path, for a caller with admin on the repository. Throws 404 for a workspace that
 * the caller does not belong to or a team that the caller cannot see, and 422 for a repository of
 * another workspace.
 */
export function teamForRepo(
  hearth: Hearth,
  caller: UserCaller,
  repo: RepoGrant,
  path: { workspace: string; team: string },
): TeamRow {
  const facts = hearth.facts.workspace(path.workspace, caller)
  const role = facts?.role ?? null
  if (!facts || role === null) throw notFound(`the workspace ${path.workspace}`)
  const team = requireTeam(hearth.db, { id: facts.id, slug: facts.slug, role }, path.team, caller)
  if (repo.workspace_id !== facts.id)
    throw invalid(
      'repo',
      `${repo.full_name} does not belong to ${facts.slug}; a team has roles in its own workspace only`,
    )
  if (repo.parent_id !== null)
    throw invalid(
      'repo',
      `${repo.full_name} is the fork of a pull request; use the repository itself`,
    )
  return team
}
