/**
 * Who may open pull requests without write: what the repository's owner decided about contributions
 * from outside.
 */
import type { RepoGrant } from '#core/access.ts'
import { reaches, type SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { userCaller } from '#features/accounts/index.ts'
import { conflict, forbidden } from '#lib/errors.ts'
import type { Settings } from './context.ts'
import { personCanWrite, principalOfCaller } from './rights.ts'
import { countActiveBy } from './store.ts'

/** Gives 403 `contributions_closed` for an author who may not open one here. */
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
  const person =
    caller.kind === 'workspace' ? caller : userCaller(hearth.db, principalOfCaller(caller))
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
 * Gives 409 `limit_reached` when an author without write has as many active ones as the repository
 * allows. Counts agents as their person.
 */
export function requireRoomForPull(
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
