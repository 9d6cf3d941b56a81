import { writesRepoAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { manyLines, notBlank } from '#features/issues/index.ts'
import { notFound } from '#lib/errors.ts'
import { contextOf } from '../pull-context.ts'
import { onPull } from '../inputs.ts'
import { reviewRecordOf } from './review-record.ts'
import { Review } from '../schema.ts'
import { statsIfAny } from '../changes/stats.ts'
import { requireActive, requirePull } from '../store-pulls.ts'
import { findReview, setDismissed } from './store-reviews.ts'
import { findStats } from '../changes/store-stats.ts'
import { appendPullUpdated } from '../lifecycle/append-updated.ts'
import { inReview } from '../untrusted-texts.ts'

export const dismissReview = operation({
  name: 'dismiss_review',
  summary:
    'Take the effect from a review, with a reason that everyone sees. Needs maintain; people only.',
  keywords: [
    'ignore a review',
    'throw away a review',
    'discard an approval',
    'invalidate a review',
  ],
  route: 'POST /repos/{owner}/{name}/pulls/{number}/reviews/{id}/dismiss',
  toolset: 'pulls',
  access: writesRepoAsPerson('maintain', { scope: 'pulls:write' }),
  input: Type.Object({
    ...onPull,
    id: Type.String({ minLength: 1, maxLength: 100, description: 'The id of a review.' }),
    reason: Type.String({ minLength: 1, maxLength: 2_000 }),
  }),
  output: Review,
  untrusted: inReview,

  handler: async ({ hearth, db, repo, caller, write }, { number, id, reason }) => {
    await statsIfAny(hearth, requirePull(db, repo.id, number))
    const why = manyLines('reason', notBlank('reason', reason))
    return write((tx) => {
      const pull = requirePull(tx.db, repo.id, number)
      const review = findReview(tx.db, pull.id, id)
      if (!review) throw notFound(`the review ${id}`)
      requireActive(pull)
      const context = contextOf(tx.db, repo.id)
      if (review.dismissed_at === null) {
        setDismissed(tx, id, caller.id, why)
        tx.audit({
          action: 'pull.review_dismissed',
          target: { kind: 'review', id, name: `${repo.full_name}#${number}` },
          workspace_id: repo.workspace_id,
          repo_id: repo.id,
          data: { before: { verdict: review.verdict, author_id: review.author_id }, reason: why },
        })
        appendPullUpdated(tx, context, pull, ['reviews'])
      }
      return reviewRecordOf(hearth, pull, context, findStats(tx.db, pull), id)
    })
  },
})
