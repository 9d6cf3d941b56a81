/**
 * What reviews are worth now. Nothing of this is stored: roles change, heads move, and an approval
 * that counted yesterday must not merge today's commits. An approval is held against the change it
 * was given to (`diff_id`), not against a commit, so merging the base in, or rewording a commit,
 * keeps it.
 */
import type { Hearth } from '#core/hearth.ts'
import { look } from '#core/look.ts'
import type { Actor } from '#core/schema.ts'
import { actorOf } from '#features/accounts/index.ts'
import { contextFor, type PullContext, type Settings } from './context.ts'
import { personCanWrite, principalOf } from './rights.ts'
import type { WHY_NOT_COUNTED } from './schema.ts'
import type { PullRow } from './store.ts'
import { listReviewRows, type ReviewRow } from './store-reviews.ts'
import type { Stats } from './store-stats.ts'

export type Standing = {
  readonly review: ReviewRow
  readonly counted: boolean
  readonly why_not_counted: (typeof WHY_NOT_COUNTED)[number] | null
  readonly stale: boolean
}

/**
 * All reviews of a pull request, oldest first, each with what it is worth for merging into its
 * base.
 */
export function standingsOf(
  hearth: Hearth,
  pull: PullRow,
  around: PullContext,
  stats: Stats | null,
): Standing[] {
  const rows = listReviewRows(hearth.db, pull.id)
  if (rows.length === 0) return []
  return look(hearth.db, () =>
    standings(hearth, pull, contextFor(hearth, around, pull.base_ref, { pull }), rows, stats),
  )
}

function standings(
  hearth: Hearth,
  pull: PullRow,
  context: PullContext,
  rows: readonly ReviewRow[],
  stats: Stats | null,
): Standing[] {
  const latest = new Map<string, string>()
  for (const row of rows) if (row.verdict !== 'comment') latest.set(row.author_id, row.id)
  return rows.map((review) => {
    const stale = isStale(review, pull, context.settings, stats)
    const why = review.verdict === 'comment' ? null : whyNot(hearth, review, pull, context, stale)
    const counted =
      review.verdict !== 'comment' && why === null && latest.get(review.author_id) === review.id
    return { review, counted, why_not_counted: why, stale }
  })
}

/**
 * While the change is not known yet (a push a moment ago), only the very commit that was reviewed
 * passes.
 */
function isStale(
  review: ReviewRow,
  pull: PullRow,
  settings: Settings,
  stats: Stats | null,
): boolean {
  if (review.outdated === 1) return true
  if (!settings.dismiss_stale_approvals) return false
  return stats === null ? review.commit_sha !== pull.head_sha : review.diff_id !== stats.diff_id
}

function whyNot(
  hearth: Hearth,
  review: ReviewRow,
  pull: PullRow,
  context: PullContext,
  stale: boolean,
): Standing['why_not_counted'] {
  if (review.dismissed_at !== null) return 'dismissed'
  const reviewer = actorOf(hearth, review.author_id)
  if (principalOf(reviewer) === principalOf(actorOf(hearth, pull.author_id))) return 'own'
  if (reviewer.kind !== 'user' && !context.settings.count_agent_approvals) return 'agent'
  if (!canWrite(hearth, review, reviewer, context.full_name)) return 'no_write'
  return review.verdict === 'approve' && stale ? 'stale' : null
}

/**
 * People are looked up anew. What a token could do is known only from when it was used, and never
 * outlasts its person's role.
 */
function canWrite(hearth: Hearth, review: ReviewRow, reviewer: Actor, full_name: string): boolean {
  if (reviewer.kind === 'user') return personCanWrite(hearth, full_name, reviewer.id)
  if (review.could_write === 0) return false
  return (
    reviewer.on_behalf_of === null || personCanWrite(hearth, full_name, reviewer.on_behalf_of.id)
  )
}

export const countApprovals = (standings: readonly Standing[]): number =>
  standings.filter(({ review, counted }) => counted && review.verdict === 'approve').length

export const changesRequested = (standings: readonly Standing[]): Standing[] =>
  standings.filter(({ review, counted }) => counted && review.verdict === 'request_changes')
