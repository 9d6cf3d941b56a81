/** What giving and taking a team's role on a repository have in common. */
import type { RepoGrant } from '#core/access.ts'
import type { UserCaller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { limitedWorkspaceRole } from '#core/access.ts'
import { invalid, notFound } from '#lib/errors.ts'
import type { TeamRow } from './store.ts'
import { requireTeam } from './teams.ts'

/**
 * The team of an address, for somebody with admin on the repository. Gives 404 for a workspace that
 * they do not belong to and a team that they cannot see, 422 for a repository of another workspace.
 */
export function teamForRepo(
  hearth: Hearth,
  caller: UserCaller,
  repo: RepoGrant,
  at: { workspace: string; team: string },
): TeamRow {
  const facts = hearth.facts.workspace(at.workspace, caller)
  const role = facts && limitedWorkspaceRole(facts, caller)
  if (!facts || !role) throw notFound(`the workspace ${at.workspace}`)
  const team = requireTeam(hearth.db, { id: facts.id, slug: facts.slug, role }, at.team, caller)
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
