/**
 * Who may change a pull request. An agent acts for a person, so both count as the author of the
 * other's pull requests.
 */
import type { RepoGrant } from '#core/access.ts'
import { reaches, type Role, type SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Actor } from '#core/schema.ts'
import { userCaller } from '#features/accounts/index.ts'
import { isAuthor } from '#features/issues/index.ts'
import { forbidden, notFound } from '#lib/errors.ts'
import type { PullRow } from './store-pulls.ts'

/** The person behind an agent, else the actor itself. */
export const principalOf = (actor: Pick<Actor, 'id' | 'on_behalf_of'>): string =>
  actor.on_behalf_of?.id ?? actor.id

export const principalOfCaller = (caller: SignedIn): string =>
  caller.kind === 'agent' ? caller.owner_id : caller.id

/** Throws 403 `role` unless the caller is the author or has at least this role. */
export function requireAuthorOr(
  hearth: Hearth,
  repo: RepoGrant,
  pull: PullRow,
  caller: SignedIn,
  least: Role,
): void {
  if (repo.can(least) || isAuthor(hearth, caller, pull.author_id)) return
  throw forbidden(
    'role',
    `only the author of #${pull.number}, or someone with the role ${least} on ${repo.full_name}, may do this; yours is ${repo.role}`,
  )
}

/** Throws 404 for a fork: pull requests belong to repositories. */
export function requireOwnRepository(repo: RepoGrant): void {
  if (repo.parent_id !== null) throw notFound(`the repository ${repo.full_name}`)
}

/**
 * The present role of a person on a repository, without limits of a token; null without a role or
 * without such a person.
 */
export function roleOfPerson(hearth: Hearth, full_name: string, person_id: string): Role | null {
  const person = userCaller(hearth.db, person_id)
  return person === null || person.suspended
    ? null
    : (hearth.facts.repo(full_name, person)?.role ?? null)
}

export const personCanWrite = (hearth: Hearth, full_name: string, person_id: string): boolean =>
  reaches(roleOfPerson(hearth, full_name, person_id), 'write')
