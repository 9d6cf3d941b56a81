/** Pull requests: proposed changes with their reviews, what git says of them, and the record of how they were made. */
import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import { describeCheckpoint } from './describe-checkpoint.ts'
import { events } from './events.ts'
import { followBranches } from './follow-branches.ts'
import { followComments, followPushes } from './follow-pushes.ts'
import { followLineComments } from './line-comments.ts'
import { operations } from './operations.ts'
import { removeForks } from './remove-forks.ts'
import { announceSession } from './session.ts'
import { settlePulls } from './settle-pulls.ts'
import { refreshPull } from './stats.ts'

export const feature: Feature = {
  name: 'pulls',
  operations,
  events,
  reactions: [followPushes, followBranches, followComments],
  jobs: [refreshPull, settlePulls, describeCheckpoint, followLineComments, announceSession, removeForks] as Job[],
}

export * from './schema.ts'
export { pullClosed, pullMerged, pullOpened, pullReady, pullUpdated, reviewCompleted, sessionAppended } from './events.ts'
export { landingPlaces, mergeRules, stricterSettings, type Landing, type LandingPlace, type MergeQuestion } from './points.ts'
export { pullRecord, pullUrl } from './record.ts'
export { noteInSession, sessionCost } from './session.ts'
export { findPull, isActive, requirePull, stopAutoMerge, type PullRow } from './store.ts'

export { appendSession } from './append-session.ts'
export { cancelReviewRequest } from './cancel-review-request.ts'
export { closePull } from './close-pull.ts'
export { convertPullToDraft } from './convert-pull-to-draft.ts'
export { createPull } from './create-pull.ts'
export { dismissReview } from './dismiss-review.ts'
export { getPull } from './get-pull.ts'
export { getPullChanges } from './get-pull-changes.ts'
export { getPullChecks } from './get-pull-checks.ts'
export { getSession } from './get-session.ts'
export { listPullCommits } from './list-pull-commits.ts'
export { listPulls } from './list-pulls.ts'
export { listReviews } from './list-reviews.ts'
export { markPullReady } from './mark-pull-ready.ts'
export { mergePull } from './merge-pull.ts'
export { reopenPull } from './reopen-pull.ts'
export { requestReview } from './request-review.ts'
export { reviewPull } from './review-pull.ts'
export { updatePull } from './update-pull.ts'
