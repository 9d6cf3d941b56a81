/**
 * Whether each review counts now. Nothing of this is stored: roles, heads and settings change, and
 * an approval of yesterday must not merge the commits of today. An approval counts for the change
 * that it was given to (`diff_id`), not for a commit. So it survives a merge of the base or a
 * reworded commit.
 */
import type { Hearth } from '#core/hearth.ts'
import { readScope } from '#core/read-scope.ts'
import type { Actor } from '#core/schema.ts'
import { actorOf } from '#features/accounts/index.ts'
import { contextFor, type PullContext, type Settings } from '../pull-context.ts'
import { personCanWrite, principalOf } from '../permissions.ts'
import type { WHY_NOT_COUNTED } from '../schema.ts'
import type { PullRow } from '../store-pulls.ts'
import { pushersOf } from './store-pushers.ts'
import { listReviewRows, type ReviewRow } from './store-reviews.ts'
import type { Stats } from '../changes/store-stats.ts'

export type ReviewStanding = {
  readonly review: ReviewRow
  readonly counted: boolean
  readonly why_not_counted: (typeof WHY_NOT_COUNTED)[number] | null
  readonly stale: boolean
}

/**
 * All reviews of a pull request, oldest first, each with whether it counts for merging into its
 * base.
 */
export function standingsOf(
  hearth: Hearth,
  pull: PullRow,
  around: PullContext,
  stats: Stats | null,
): ReviewStanding[] {
  const rows = listReviewRows(hearth.db, pull.id)
  if (rows.length === 0) return []
  return readScope(hearth.db, () =>
    reviewStandings(hearth, pull, contextFor(hearth, around, pull.base_ref, { pull }), rows, stats),
  )
}

/** The same for loaded reviews, in the context of the pull request's base. */
export function reviewStandings(
  hearth: Hearth,
  pull: PullRow,
  context: PullContext,
  rows: readonly ReviewRow[],
  stats: Stats | null,
): ReviewStanding[] {
  const latest = new Map<string, string>()
  for (const row of rows) if (row.verdict !== 'comment') latest.set(row.author_id, row.id)
  return rows.map((review) => {
    const stale = isStale(review, pull, context.settings, stats)
    const why =
      review.verdict === 'comment' ? null : whyNotCounted(hearth, review, pull, context, stale)
    const counted =
      review.verdict !== 'comment' && why === null && latest.get(review.author_id) === review.id
    return { review, counted, why_not_counted: why, stale }
  })
}

/** Until the stats of a new push are computed, only approvals of the very head commit count. */
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

function whyNotCounted(
  hearth: Hearth,
  review: ReviewRow,
  pull: PullRow,
  context: PullContext,
  stale: boolean,
): ReviewStanding['why_not_counted'] {
  if (review.dismissed_at !== null) return 'dismissed'
  const reviewer = actorOf(hearth, review.author_id)
  const principal = principalOf(reviewer)
  if (principal === principalOf(actorOf(hearth, pull.author_id))) return 'own'
  if (reviewer.kind !== 'user' && !context.settings.count_agent_approvals) return 'agent'
  if (!canWrite(hearth, review, reviewer, context.full_name)) return 'no_write'
  if (review.verdict !== 'approve') return null
  if (stale) return 'stale'
  return context.settings.require_last_push_approval && pushersOf(hearth.db, pull.id).has(principal)
    ? 'pushed'
    : null
}

/**
 * Whether the reviewer can write now. Roles of people are read now. The rights of a token are those
 * at the time of the review, limited by the present role of its person.
 */
function canWrite(hearth: Hearth, review: ReviewRow, reviewer: Actor, full_name: string): boolean {
  if (reviewer.kind === 'user') return personCanWrite(hearth, full_name, reviewer.id)
  if (review.could_write === 0) return false
  return (
    reviewer.on_behalf_of === null || personCanWrite(hearth, full_name, reviewer.on_behalf_of.id)
  )
}

export const countApprovals = (standings: readonly ReviewStanding[]): number =>
  standings.filter(({ review, counted }) => counted && review.verdict === 'approve').length

export const changesRequested = (standings: readonly ReviewStanding[]): ReviewStanding[] =>
  standings.filter(({ review, counted }) => counted && review.verdict === 'request_changes')
