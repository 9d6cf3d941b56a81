/** Whether a caller counts as an author. */
import type { Caller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { actorOf } from '#features/accounts/index.ts'

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
