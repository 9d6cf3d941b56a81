/** The door of the repositories: the feature, and what those that build upon it may use. */
import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import { events } from './events.ts'
import { collectStores, collectWeekly } from './collect-stores.ts'
import { maintainStore } from './maintain-store.ts'
import { measureRepo } from './measure-repo.ts'
import { operations } from './operations.ts'
import { lookForForged } from './look-for-forged.ts'
import { scanPush } from './push-protection.ts'
import { purgeDeleted, removeRepo } from './purge.ts'
import { readAhead } from './read-ahead.ts'

export const feature: Feature = {
  name: 'repos',
  operations,
  events,
  jobs: [
    measureRepo,
    maintainStore,
    collectWeekly,
    collectStores,
    scanPush,
    lookForForged,
    removeRepo,
    purgeDeleted,
    readAhead,
  ] as Job[],
}

export * from './schema.ts'
export { noteDroppedAccess, type DroppedAccess } from './dropped-access.ts'
export {
  branchRenamed,
  gitPush,
  repoArchived,
  repoCreated,
  repoDefaultBranchChanged,
  repoDeleted,
  repoForked,
  repoPurged,
  repoRenamed,
  repoRestored,
  repoTransferred,
  repoUnarchived,
  repoUpdated,
  repoVisibilityChanged,
} from './events.ts'
export { eventRecord, eventRecords } from './event-record.ts'
export {
  factsOf,
  fullName,
  fullNameOf,
  highestOf,
  movedTo,
  repoFacts,
  viewerRole,
} from './facts.ts'
export { ownersOf, ownersOfPath, readCodeOwners, type CodeOwners } from './code-owners.ts'
export { sightOf } from './sight.ts'
export { findRoleParts, keepRoles, type RoleParts } from './store-roles.ts'
export { createFork, removeFork } from './forks.ts'
export { auditRepo, requireLive } from './lifecycle.ts'
export { combinedState, contextsOf, keepContexts } from './commit-contexts.ts'
export { guardMoves, keepsBranch, requireMoves, type MoveGuard } from './move-guard.ts'
export { moveRefs, prepareUpdates, refsOf, type PreparedUpdate } from './refs.ts'
export {
  branchOf,
  branchRef,
  refNameProblem,
  shortNameProblem,
  tagOf,
  tagRef,
} from './ref-names.ts'
export {
  belongings,
  importers,
  commitContexts,
  frozenReleases,
  keptCommits,
  moveRules,
  releaseOfTag,
  releasedTags,
  signingKeys,
  keysChanged,
  repoLists,
  starCounts,
  type CommitContext,
  type Importer,
  type KeptPage,
  type MoveQuestion,
  type MoveRuling,
  type Objection,
} from './points.ts'
export { collectStore, GRACE_MS } from './collect-stores.ts'
export { listKept } from './kept-commits.ts'
export { makeRepo, type NewRepoInput } from './new-repo.ts'
export { checkRemote, parseRemote, remoteTransport, type RemoteAccess } from './remote.ts'
export { pauseAutoMerge } from './pause-auto-merge.ts'
export { keepForRecords, repoRecord, repoRecords } from './record.ts'
export { blameInput, headCommit, resolveCommit, tipsOf } from './resolve.ts'
export { changesBetween, type Changes } from './changes.ts'
export { fileLanguage } from './language.ts'
export { DEFAULT_SETTINGS, settingsOf } from './settings.ts'
export { isGenerated } from './generated.ts'
export {
  commitRecord,
  commitRecords,
  commitTime,
  fileDiffRecord,
  peopleOf,
  signaturesOf,
  titleOf,
  trailersOf,
} from './commit-records.ts'
export {
  findFork,
  keepRepos,
  listSeen,
  repoById,
  repoByPath,
  requireRepo,
  setOpenCounts,
  takeNumber,
  type RepoRow,
} from './store.ts'
export {
  findRef,
  hasBranches,
  lastMovedBranch,
  listStores,
  listTipsOfStore,
  readRef,
} from './store-refs.ts'
export { findBranchPull, pullsOfCommits, recordLanded, setBranchPull } from './store-pulls.ts'
export { LOOK_AFTER_MS, lookForForged } from './look-for-forged.ts'
export { scanBefore, scanPush } from './push-protection.ts'
export { auditBypass, checkPush, type PushRules } from './push-rules.ts'

export * from './operations.ts'
