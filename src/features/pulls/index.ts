/** Pull requests: proposed changes with their reviews, checks, statistics and sessions. */
import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import {
  authorChanges,
  moveRules,
  repoDataRemovers,
  retainedCommits,
} from '#features/repos/index.ts'
import {
  autoMerge,
  followAlerts,
  followConversations,
  followForAutoMerge,
  followStats,
  sweepAutoMerges,
} from './merging/auto-merge.ts'
import { checkHandlers, checkReactions } from './checks/pull-checks.ts'
import { describeCheckpoint } from './sessions/describe-checkpoint.ts'
import { events } from './events.ts'
import { followBranches } from './branches/follow-branches.ts'
import { followComments, followPushes } from './branches/follow-pushes.ts'
import { retainedCommitsOfPulls } from './branches/store-kept-commits.ts'
import { revisionLimit } from './branches/revision-limit.ts'
import { followLineComments } from './reviews/line-comments.ts'
import { changeAuthorOfPulls } from './imported/store-authors.ts'
import * as operations from './operations.ts'
import { recordPushers } from './reviews/pushers.ts'
import { removeForks } from './branches/remove-forks.ts'
import { removePullsOfRepo } from './store-removal.ts'
import { announceSession } from './sessions/session.ts'
import { settlePulls } from './lifecycle/settle-after-push.ts'
import { refreshPull, refreshPulls } from './changes/stats.ts'

export const feature: Feature = {
  name: 'pulls',
  operations: Object.values(operations),
  events,
  reactions: [followPushes, followBranches, followComments, followForAutoMerge, ...checkReactions],
  handlers: [recordPushers, followConversations, followAlerts, followStats, ...checkHandlers],
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
  extensions: [
    moveRules.with(revisionLimit),
    retainedCommits.with(retainedCommitsOfPulls),
    repoDataRemovers.with(removePullsOfRepo),
    authorChanges.with(changeAuthorOfPulls),
  ],
}

export * from './operations.ts'
export { pullSummaries, type PullSummary } from './pull-summaries.ts'
export { listPullBodies, pullsByNumber } from './store-pull-list.ts'
export {
  importPull,
  importReview,
  type ImportedPull,
} from './imported/imported-pulls.ts'
export { overallChecks } from './checks/overall-checks.ts'
export * from './schema.ts'
export {
  pullClosed,
  pullMerged,
  pullOpened,
  pullReady,
  pullUpdated,
  reviewCompleted,
  sessionAppended,
} from './events.ts'
export { candidateTested, standingAlertsClosed } from './internal-events.ts'
export {
  agentAssignments,
  type AgentAssignment,
  type StartedAgent,
  candidateGates,
  costAllowances,
  type CostAllowance,
  type CostlyWork,
  type Candidate,
  type CandidateResult,
  measuredAgents,
  mergeAttempts,
  mergeFacts,
  mergeQueues,
  mergeRules,
  queueRules,
  sessionWriters,
  ALERT_KINDS,
  ALERT_SEVERITIES,
  standingAlerts,
  type AlertScope,
  type StandingAlert,
  type StandingAlerts,
  stricterSettings,
  type MergeEvaluation,
  type MergeOptions,
  type MergeQueue,
  type QueuePosition,
  type SettingsScope,
} from './extension-points.ts'
export { disableAutoMerge } from './merging/auto-merge.ts'
export { lacksPerson } from './merging/person-approval.ts'
export { commandsOfPull } from './checks/pull-checks.ts'
export { contextFor, contextOf, subjectOf, type PullContext } from './pull-context.ts'
export {
  buildLanding,
  landPull,
  prepareLanding,
  requireVerifiedLanding,
  WrongLanding,
} from './merging/land-pull.ts'
export { landingProblem } from './merging/verify-landing.ts'
export { defaultMessage } from './merging/merge-message.ts'
export { restoreCaller } from './merging/merging-caller.ts'
export { currentBlockers, pullRecords, pullUrl } from './pull-record.ts'
export { loadEvaluation } from './pull-facts.ts'

export { carryPlaces } from './changes/carry-places.ts'
export { PROGRAM_SETTINGS } from './changes/instruction-paths.ts'
export { statsIfAny } from './changes/stats.ts'
export {
  appendEntries,
  addServiceEntry,
  costCapReached,
  costIncurred,
  isSessionFull,
  sessionAsked,
} from './sessions/session.ts'
export { openAgentDraft } from './lifecycle/create-pull.ts'
export { personCanWrite, requireAuthorOr } from './permissions.ts'
export { listRequests } from './reviews/store-requests.ts'
export { findReview, listReviewBodies } from './reviews/store-reviews.ts'
export {
  countWritten,
  findEntry,
  listEntryRows,
  findLastQuestion,
  preloadWritten,
} from './sessions/store-sessions.ts'
export {
  findPull,
  findPullById,
  isActive,
  listActive,
  requireActive,
  requirePull,
  stopAutoMerge,
  type PullRow,
} from './store-pulls.ts'
