/** Actors of rows, and whether a caller counts as an author. */
import type { Caller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Actor } from '#core/schema.ts'
import { actorOf, actorsOf } from '#features/accounts/index.ts'

/** Loads actors with one query. Returns a function that looks them up. */
export function actorLookup(
  hearth: Hearth,
  ids: readonly (string | null)[],
): (id: string) => Actor {
  const wanted = [...new Set(ids.filter((id) => id !== null))]
  const known = new Map(actorsOf(hearth, wanted).map((actor) => [actor.id, actor]))
  return (id) => known.get(id) ?? actorOf(hearth, id)
}

/**
 * Whether the caller counts as the author: the author, the person that the author acted for, or an
 * agent of that person. So one agent can continue what another agent of the same person began.
 */
export function isAuthor(hearth: Hearth, caller: Caller, author_id: string): boolean {
  if (caller.kind === 'anonymous') return false
  if (caller.id === author_id) return true
  if (caller.kind === 'workspace') return false
  const person = caller.kind === 'agent' ? caller.owner_id : caller.id
  return person === author_id || person === actorOf(hearth, author_id).on_behalf_of?.id
}
