/**
 * Whose rights auto-merge uses: those of whoever enabled it, if they could merge now and the token
 * that they used still exists. It never uses rights of the service.
 */
import type { SignedIn, TokenFacts } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { actorOf, findToken, userCaller } from '#features/accounts/index.ts'
import type { PullContext } from '../pull-context.ts'
import { personCanWrite, principalOf } from '../permissions.ts'
import { standingsOf } from '../reviews/review-standing.ts'
import type { PullRow } from '../store-pulls.ts'
import type { AutoMergeRow } from './store-auto-merges.ts'
import { findStats } from '../changes/store-stats.ts'

/** The caller that auto-merge acts as; null when nobody may merge any more. */
export function autoMergeCaller(
  hearth: Hearth,
  context: PullContext,
  pull: PullRow,
  asked: AutoMergeRow | null,
): SignedIn | null {
  if (asked?.asked_by != null)
    return restoreCaller(hearth, pull.repo_id, asked.asked_by, asked.token_id)
  // The repository enabled auto-merge: act as the author, else as the last approver whose approval
  // counts.
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
 * Rebuilds the caller who requested something earlier, with the rights of now: a merge, unless
 * another scope is named. Null when the account or the token is gone.
 */
export function restoreCaller(
  hearth: Hearth,
  repo_id: string,
  id: string,
  token_id: string | null,
  scope = 'pulls:merge',
): SignedIn | null {
  const token = token_id === null ? null : tokenOf(hearth, repo_id, token_id, scope)
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
 * The token for this one repository and scope, which was checked when this was requested; scopes
 * never grow.
 */
function tokenOf(
  { db, clock }: Hearth,
  repo_id: string,
  token_id: string,
  scope: string,
): TokenFacts | null {
  const row = findToken(db, token_id)
  if (!row || (row.expires_at !== null && Date.parse(row.expires_at) <= clock.now())) return null
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    scopes: [scope],
    repos: [repo_id],
    workspace: null,
    role: row.role,
    expires_at: row.expires_at,
  }
}
