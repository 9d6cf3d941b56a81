/**
 * Pull requests: proposed changes with their reviews, what git says of them, and the record of how
 * they were made.
 */
import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import { belongings, keptCommits } from '#features/repos/index.ts'
import {
  autoMerge,
  followConversations,
  followForAutoMerge,
  followStats,
  sweepAutoMerges,
} from './auto-merge.ts'
import { checkFollowers, checkReactions } from './checks.ts'
import { describeCheckpoint } from './describe-checkpoint.ts'
import { events } from './events.ts'
import { followBranches } from './follow-branches.ts'
import { followComments, followPushes } from './follow-pushes.ts'
import { keptOfPulls } from './store-kept.ts'
import { followLineComments } from './line-comments.ts'
import { operations } from './operations.ts'
import { removeForks } from './remove-forks.ts'
import { removePullsOf } from './store-removal.ts'
import { announceSession } from './session.ts'
import { settlePulls } from './settle-pulls.ts'
import { refreshPull, refreshPulls } from './stats.ts'

export const feature: Feature = {
  name: 'pulls',
  operations,
  events,
  reactions: [followPushes, followBranches, followComments, followForAutoMerge, ...checkReactions],
  followers: [followConversations, followStats, ...checkFollowers],
  jobs: [
    refreshPull,
    refreshPulls,
    settlePulls,
    describeCheckpoint,
    followLineComments,
    announceSession,
    removeForks,
    autoMerge,
    sweepAutoMerges,
  ] as Job[],
  extensions: [keptCommits.with(keptOfPulls), belongings.with(removePullsOf)],
}

export * from './schema.ts'
export {
  pullClosed,
  pullMerged,
  pullMergeRequested,
  pullOpened,
  pullReady,
  pullUpdated,
  reviewCompleted,
  sessionAppended,
} from './events.ts'
export {
  landingPlaces,
  mergeAttempts,
  mergeFacts,
  mergeRules,
  pagesOfPulls,
  queueRules,
  sessionWriters,
  stricterSettings,
  type Landing,
  type LandingPlace,
  type MergeQuestion,
  type SettingsQuestion,
} from './points.ts'
export { endMergingByItself } from './auto-merge.ts'
export { askedChecks } from './checks.ts'
export { contextFor, contextOf, subjectOf, type PullContext } from './context.ts'
export {
  buildLanding,
  landPull,
  methodOf,
  prepareLanding,
  requireRightLanding,
  WrongLanding,
} from './land.ts'
export { callerAgain } from './merging-caller.ts'
export { currentBlockers, pullRecord, pullUrl } from './record.ts'
export { standingsOf } from './standing.ts'
export { statsIfAny } from './stats.ts'
export { appendEntries, noteInSession, sessionAsked, sessionCost } from './session.ts'
export { requireAuthorOr } from './rights.ts'
export { listRequests, type RequestRow } from './store-requests.ts'
export { findReview, listReviewRows } from './store-reviews.ts'
export { countWritten, findEntry } from './store-sessions.ts'
export {
  findPull,
  findPullById,
  isActive,
  listActive,
  requireActive,
  requirePull,
  stopAutoMerge,
  type PullRow,
} from './store.ts'

export { addDraftComment } from './add-draft-comment.ts'
export { appendSession } from './append-session.ts'
export { applySuggestion } from './apply-suggestion.ts'
export { assignIssue } from './assign-issue.ts'
export { cancelPullChecks } from './cancel-pull-checks.ts'
export { cancelReviewRequest } from './cancel-review-request.ts'
export { closePull } from './close-pull.ts'
export { convertPullToDraft } from './convert-pull-to-draft.ts'
export { createPull } from './create-pull.ts'
export { deleteDraftComment } from './delete-draft-comment.ts'
export { dismissReview } from './dismiss-review.ts'
export { finishReview } from './finish-review.ts'
export { getPull } from './get-pull.ts'
export { getPullChanges } from './get-pull-changes.ts'
export { getPullChecks } from './get-pull-checks.ts'
export { getSession } from './get-session.ts'
export { listDraftComments } from './list-draft-comments.ts'
export { listPullCommits } from './list-pull-commits.ts'
export { listPulls } from './list-pulls.ts'
export { listReviewThreads } from './list-review-threads.ts'
export { listReviews } from './list-reviews.ts'
export { markFileViewed } from './mark-file-viewed.ts'
export { markPullReady } from './mark-pull-ready.ts'
export { mergePull } from './merge-pull.ts'
export { reopenPull } from './reopen-pull.ts'
export { rerunPullChecks } from './rerun-pull-checks.ts'
export { requestReview } from './request-review.ts'
export { revertPull } from './revert-pull.ts'
export { reviewPull } from './review-pull.ts'
export { updatePull } from './update-pull.ts'
export { updatePullBranch } from './update-pull-branch.ts'
