/** The operations of this feature, in the order of a pull request's life. */
import { addDraftComment } from './add-draft-comment.ts'
import { appendSession } from './append-session.ts'
import { applySuggestion } from './apply-suggestion.ts'
import { assignIssue } from './assign-issue.ts'
import { cancelPullChecks } from './cancel-pull-checks.ts'
import { cancelReviewRequest } from './cancel-review-request.ts'
import { checkLineComment } from './check-line-comment.ts'
import { closePull } from './close-pull.ts'
import { convertPullToDraft } from './convert-pull-to-draft.ts'
import { createPull } from './create-pull.ts'
import { deleteDraftComment } from './delete-draft-comment.ts'
import { dismissReview } from './dismiss-review.ts'
import { finishReview } from './finish-review.ts'
import { getPull } from './get-pull.ts'
import { getPullChanges } from './get-pull-changes.ts'
import { getPullChecks } from './get-pull-checks.ts'
import { getSession } from './get-session.ts'
import { listDraftComments } from './list-draft-comments.ts'
import { listPullCommits } from './list-pull-commits.ts'
import { listPulls } from './list-pulls.ts'
import { listReviewThreads } from './list-review-threads.ts'
import { listReviews } from './list-reviews.ts'
import { markFileViewed } from './mark-file-viewed.ts'
import { markPullReady } from './mark-pull-ready.ts'
import { mergePull } from './merge-pull.ts'
import { rerunPullChecks } from './rerun-pull-checks.ts'
import { reopenPull } from './reopen-pull.ts'
import { requestReview } from './request-review.ts'
import { revertPull } from './revert-pull.ts'
import { reviewPull } from './review-pull.ts'
import { updatePull } from './update-pull.ts'
import { updatePullBranch } from './update-pull-branch.ts'

export const operations = [
  listPulls,
  createPull,
  getPull,
  getPullChanges,
  listPullCommits,
  getPullChecks,
  rerunPullChecks,
  cancelPullChecks,
  markPullReady,
  convertPullToDraft,
  updatePull,
  updatePullBranch,
  closePull,
  reopenPull,
  mergePull,
  revertPull,
  requestReview,
  cancelReviewRequest,
  reviewPull,
  listReviews,
  dismissReview,
  checkLineComment,
  applySuggestion,
  assignIssue,
  listReviewThreads,
  addDraftComment,
  listDraftComments,
  deleteDraftComment,
  finishReview,
  markFileViewed,
  getSession,
  appendSession,
] as const
