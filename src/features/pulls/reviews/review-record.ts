/** Reviews as records. */
import type { Hearth } from '#core/hearth.ts'
import { actorOf } from '#features/accounts/index.ts'
import { listReviewComments } from '#features/issues/index.ts'
import type { PullContext } from '../pull-context.ts'
import type { Review } from '../schema.ts'
import { standingsOf, type ReviewStanding } from './review-standing.ts'
import type { PullRow } from '../store-pulls.ts'
import type { Stats } from '../changes/store-stats.ts'

export function reviewRecord(
  hearth: Hearth,
  { review, counted, why_not_counted, stale }: ReviewStanding,
): Review {
  const { dismissed_at, dismissed_by, dismissed_reason } = review
  return {
    id: review.id,
    author: actorOf(hearth, review.author_id),
    verdict: review.verdict,
    body: review.body,
    commit: review.commit_sha,
    counted,
    why_not_counted,
    stale,
    dismissed:
      dismissed_at === null
        ? null
        : { by: actorOf(hearth, dismissed_by), at: dismissed_at, reason: dismissed_reason ?? '' },
    comments: listReviewComments(hearth.db, review.id).map(({ id }) => id),
    created_at: review.created_at,
  }
}

/** All reviews of a pull request, oldest first. */
export const reviewRecords = (
  hearth: Hearth,
  pull: PullRow,
  context: PullContext,
  stats: Stats | null,
): Review[] =>
  standingsOf(hearth, pull, context, stats).map((standing) => reviewRecord(hearth, standing))

/** The record of one review. */
export function reviewRecordOf(
  hearth: Hearth,
  pull: PullRow,
  context: PullContext,
  stats: Stats | null,
  id: string,
): Review {
  const standing = standingsOf(hearth, pull, context, stats).find(({ review }) => review.id === id)
  if (!standing) throw new TypeError(`there is no review ${id}`)
  return reviewRecord(hearth, standing)
}
