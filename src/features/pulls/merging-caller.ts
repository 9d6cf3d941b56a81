/**
 * With whose rights a pull request merges by itself. Never with the service's own: whoever asked
 * for it must be able to merge it at that moment, and a token that asked must still be there.
 */
import type { SignedIn, TokenFacts } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { actorOf, findToken, userCaller } from '#features/accounts/index.ts'
import type { PullContext } from './context.ts'
import { personCanWrite, principalOf } from './rights.ts'
import { standingsOf } from './standing.ts'
import type { PullRow } from './store.ts'
import type { AutoMergeRow } from './store-auto-merges.ts'
import { findStats } from './store-stats.ts'

/** Null when nobody is left who could. */
export function mergingCaller(
  hearth: Hearth,
  context: PullContext,
  pull: PullRow,
  asked: AutoMergeRow | null,
): SignedIn | null {
  if (asked?.asked_by != null)
    return callerAgain(hearth, pull.repo_id, asked.asked_by, asked.token_id)
  // The repository wants it: then it is done for who made it, or else for who approved it last with
  // effect.
  const author = principalOf(actorOf(hearth, pull.author_id))
  const approvers = standingsOf(hearth, pull, context, findStats(hearth.db, pull)).flatMap(
    ({ review, counted }) => (counted && review.verdict === 'approve' ? [review.author_id] : []),
  )
  for (const id of [author, ...approvers.toReversed()]) {
    const facts =
      id.startsWith('usr_') && personCanWrite(hearth, context.full_name, id)
        ? userCaller(hearth.db, id)
        : null
    if (facts && hearth.facts.repo(context.full_name, facts)?.workspace_role != null) return facts
  }
  return null
}

/**
 * Somebody who asked for a merge some time ago, as the caller that they would be now; null when
 * they, or the token that asked, are gone.
 */
export function callerAgain(
  hearth: Hearth,
  repo_id: string,
  id: string,
  token_id: string | null,
): SignedIn | null {
  const token = token_id === null ? null : tokenOf(hearth, repo_id, token_id)
  if (token_id !== null && token === null) return null
  const actor = actorOf(hearth, id)
  if (actor.kind === 'user') {
    const person = userCaller(hearth.db, id)
    return person && { ...person, token }
  }
  if (token === null) return null
  if (actor.kind === 'workspace') return { kind: 'workspace', id, username: actor.username, token }
  const owner = actor.on_behalf_of
  return (
    owner && {
      kind: 'agent',
      id,
      username: actor.username,
      repo_id,
      owner_id: owner.id,
      owner_username: owner.username,
      token,
    }
  )
}

/**
 * What is left of a token for this one repository; its scopes were looked at when it asked, and
 * never grow.
 */
function tokenOf({ db, clock }: Hearth, repo_id: string, token_id: string): TokenFacts | null {
  const row = findToken(db, token_id)
  if (!row || (row.expires_at !== null && Date.parse(row.expires_at) <= clock.now())) return null
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    scopes: ['pulls:merge'],
    repos: [repo_id],
    workspace: null,
    role: row.role,
    expires_at: row.expires_at,
  }
}
