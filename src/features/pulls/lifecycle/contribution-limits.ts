/** Limits on pull requests by authors without write, by the settings of the repository. */
import type { RepoGrant } from '#core/access.ts'
import { reaches, type SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { userCaller } from '#features/accounts/index.ts'
import { conflict, forbidden } from '#lib/errors.ts'
import type { Settings } from '../pull-context.ts'
import { personCanWrite, principalOfCaller } from '../permissions.ts'
import { countActiveBy } from '../store-pulls.ts'

/** Throws 403 `contributions_closed` when the author may not open a pull request here. */
export function requireMayContribute(
  hearth: Hearth,
  repo: RepoGrant,
  caller: SignedIn,
  settings: Settings,
): void {
  if (caller.kind === 'agent') {
    if (personCanWrite(hearth, repo.full_name, caller.owner_id)) return
    if (!settings.agents_from_outside)
      throw forbidden(
        'contributions_closed',
        `${repo.full_name} takes no pull requests by agents of people without write`,
      )
  } else if (repo.can('write')) return
  const person = caller.kind === 'agent' ? userCaller(hearth.db, caller.owner_id) : caller
  const facts = person && hearth.facts.repo(repo.full_name, person)
  const allowed = {
    anyone: true,
    collaborators: reaches(facts?.role ?? null, 'read'),
    members: facts?.workspace_role != null,
    nobody: false,
  }[settings.contributions]
  if (!allowed)
    throw forbidden(
      'contributions_closed',
      `${repo.full_name} takes pull requests only from ${settings.contributions === 'nobody' ? 'people with write' : settings.contributions}`,
    )
}

/**
 * Throws 409 `limit_reached` when an author without write has the maximum of active pull requests.
 * The pull requests of agents count for their person.
 */
export function requirePullQuota(
  hearth: Hearth,
  repo: RepoGrant,
  caller: SignedIn,
  settings: Settings,
): void {
  const most = settings.max_open_pulls_per_author
  const person = principalOfCaller(caller)
  if (
    most === null ||
    (caller.kind === 'agent' ? personCanWrite(hearth, repo.full_name, person) : repo.can('write'))
  )
    return
  if (countActiveBy(hearth.db, repo.id, person) >= most) {
    throw conflict(
      'limit_reached',
      `an author without write may have ${most} active pull requests in ${repo.full_name}; finish one first`,
      { limit: most },
    )
  }
}
