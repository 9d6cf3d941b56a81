/** The operations of this feature, in the order of a pull request's life. */
import { appendSession } from './append-session.ts'
import { cancelReviewRequest } from './cancel-review-request.ts'
import { checkLineComment } from './check-line-comment.ts'
import { closePull } from './close-pull.ts'
import { convertPullToDraft } from './convert-pull-to-draft.ts'
import { createPull } from './create-pull.ts'
import { dismissReview } from './dismiss-review.ts'
import { getPull } from './get-pull.ts'
import { getPullChanges } from './get-pull-changes.ts'
import { getPullChecks } from './get-pull-checks.ts'
import { getSession } from './get-session.ts'
import { listPullCommits } from './list-pull-commits.ts'
import { listPulls } from './list-pulls.ts'
import { listReviews } from './list-reviews.ts'
import { markPullReady } from './mark-pull-ready.ts'
import { mergePull } from './merge-pull.ts'
import { reopenPull } from './reopen-pull.ts'
import { requestReview } from './request-review.ts'
import { reviewPull } from './review-pull.ts'
import { updatePull } from './update-pull.ts'

export const operations = [
  listPulls, createPull, getPull, getPullChanges, listPullCommits, getPullChecks,
  markPullReady, convertPullToDraft, updatePull, closePull, reopenPull, mergePull,
  requestReview, cancelReviewRequest, reviewPull, listReviews, dismissReview, checkLineComment,
  getSession, appendSession,
] as const
