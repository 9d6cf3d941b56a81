/** Repositories: the feature, and the functions that later features may use. */
import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import { workspaceCleanups } from '#features/workspaces/index.ts'
import { events } from './events.ts'
import { collectStores, collectWeekly } from './maintenance/collect-stores.ts'
import { summarizeHistory } from './insights/history-summary.ts'
import { maintainStore } from './maintenance/maintain-store.ts'
import { measureRepo } from './maintenance/measure-repo.ts'
import * as operations from './operations.ts'
import { findSha1Collisions } from './push/find-sha1-collisions.ts'
import { scanPush } from './push/push-protection.ts'
import { purgeDeleted, removePurgedOfWorkspace, removePurgedRepo } from './lifecycle/purge-job.ts'
import { precomputeHistory } from './blame/precompute-history.ts'

export const feature: Feature = {
  name: 'repos',
  operations: Object.values(operations),
  events,
  jobs: [
    measureRepo,
    maintainStore,
    collectWeekly,
    collectStores,
    scanPush,
    findSha1Collisions,
    removePurgedRepo,
    purgeDeleted,
    precomputeHistory,
    summarizeHistory,
  ] as Job[],
  extensions: [workspaceCleanups.with(removePurgedOfWorkspace)],
}

export * from './schema.ts'
export {
  recordDroppedAccess,
  type DroppedAccess,
} from './lifecycle/dropped-access.ts'
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
export { eventRecord, eventRecords } from './profile/event-record.ts'
export {
  factsOf,
  fullName,
  fullNameOf,
  highestRole,
  findNewPath,
  repoFacts,
  viewerRole,
} from './access/repo-facts.ts'
export {
  ownersOf,
  ownersOfPath,
  patternMatchesPath,
  readCodeOwners,
  type CodeOwners,
} from './files/code-owners.ts'
export { visibleReposOf } from './access/visible-repos.ts'
export {
  findRoleParts,
  hasOtherWriter,
  listManagers,
  preloadRoles,
  type RoleParts,
} from './store/roles.ts'
export { createFork, removeFork } from './refs/forks.ts'
export { auditRepo, requireLive } from './lifecycle/preconditions.ts'
export {
  combineStates,
  commitContextsOf,
  preloadContexts,
} from './commits/commit-contexts.ts'
export {
  evaluateMoves,
  rulesForbidDeletion,
  requireMovesAllowed,
  type MoveGuard,
} from './refs/move-guard.ts'
export {
  moveRefs,
  prepareUpdates,
  refsOf,
  type MoveOptions,
  type PreparedUpdate,
} from './refs/move-refs.ts'
export {
  chooseFirstBranch,
  moveInBatches,
  prepareFetchedRefs,
  selectFetchedRefs,
} from './refs/fetched-refs.ts'
export { inTransactions } from './refs/ref-cache.ts'
export { bulkPushes } from './push/bulk-pushes.ts'
export {
  branchOf,
  branchRef,
  refNameProblem,
  shortNameProblem,
  tagOf,
  tagRef,
} from './refs/ref-names.ts'
export {
  repoDataRemovers,
  configuredModels,
  secretFindings,
  type PlacedSecret,
  importers,
  authorChanges,
  largeFileCopiers,
  storedLargeFiles,
  releaseImporters,
  attachmentImporters,
  wikiCopiers,
  wikiPages,
  leadingMirrors,
  commitContexts,
  frozenReleases,
  retainedCommits,
  runFailures,
  type RunFailure,
  moveRules,
  pullOnlyRules,
  packageAdvisories,
  pushNotes,
  deployHolds,
  deployHoldsChanged,
  pushReads,
  remoteWorkflows,
  workflowFolders,
  workflowsFailedOver,
  releasedTags,
  releasesOfTags,
  signingKeys,
  signingKeysChanged,
  tokenRuns,
  branchPushed,
  repoArrived,
  repoRecordPreloads,
  starCounts,
  type CommitContext,
  type AdvisorySource,
  type PackageAdvisory,
  type CopiedFiles,
  type CopySource,
  type ImportedRelease,
  type Importer,
  type LargeFileCopier,
  type AttachmentImporter,
  type ReleaseImporter,
  type RetainedPage,
  type RequestedMoves,
  type RuleEvaluation,
  type RuleViolation,
} from './extension-points.ts'
export { historyCache } from './store/history-cache.ts'
export { searchPaths } from './files/path-search.ts'
export { locateFiles } from './files/locate-files.ts'
export { enqueueMaintenance } from './maintenance/maintain-store.ts'
export { collectStore, PRUNE_GRACE_MS } from './maintenance/collect-stores.ts'
export { listRetainedCommits } from './maintenance/retained-commits.ts'
export {
  createRepoWithStore,
  type NewRepoContext,
  type NewRepoInput,
} from './lifecycle/new-repo.ts'
export {
  basicCredentials,
  checkRemote,
  parseRemote,
  remoteTransport,
  type RemoteAccess,
} from './remote-git.ts'
export {
  askLfsAccess,
  isSshAddress,
  parseSshRemote,
  type LfsAccess,
  type SshAccess,
} from './ssh-remote.ts'
export { forgeApiUrl, forgeAuthorization, type ForgeKind } from './forge-api.ts'
export { pauseAutoMerge } from './settings/pause-auto-merge.ts'
export {
  preloadFacts,
  preloadForRecords,
  repoRecord,
  repoRecords,
} from './profile/repo-record.ts'
export {
  refuseBadInput,
  headCommit,
  resolveCommit,
} from './refs/resolve-commit.ts'
export { diffCommits, type DiffPage } from './commits/diff-records.ts'
export { fileLanguage } from './files/language.ts'
export {
  AGENT_PERMISSIONS,
  DEFAULT_SETTINGS,
  ISSUE_TRIAGE,
  settingsOf,
} from './settings/repo-settings.ts'
export { isGenerated } from './files/generated.ts'
export {
  commitRecord,
  commitRecords,
  commitTime,
  fileDiffRecord,
  commitPersonLookup,
  signatureVerifier,
  titleOf,
  parseTrailers,
} from './commits/commit-records.ts'
export {
  addSize,
  findFork,
  findRepoByName,
  preloadRepos,
  filterVisibleRepos,
  repoById,
  repoByPath,
  requireRepo,
  setOpenCounts,
  allocateNumber,
  reserveNumbers,
  type RepoRow,
} from './store/repos.ts'
export {
  listStorageOfWorkspace,
  storageOfRepo,
  storedBytesCounter,
  type RepoStorage,
  type StorageTotals,
} from './store/repo-storage.ts'
export {
  findRef,
  preloadRefs,
  hasBranches,
  lastMovedBranch,
  listRefs,
  listRootsOfStore,
  listStores,
  listStoresAfter,
  listTipsOfStore,
  readRef,
} from './store/refs.ts'
export {
  findBranchPull,
  pullsOfCommits,
  recordMergedCommits,
  setBranchPull,
} from './store/pulls.ts'
export {
  COLLISION_SCAN_DELAY_MS,
  findSha1Collisions,
} from './push/find-sha1-collisions.ts'
export { secretProtectionOf } from './settings/secret-protection.ts'
export {
  customRules,
  recordSecrets,
  revokeSecretToken,
  scanMoves,
  scanRange,
  scanPush,
  throwIfRefused,
} from './push/push-protection.ts'
export { findSecrets, type CommitRange, type FoundSecret } from './push/find-secrets.ts'
export { findExposedAddress, privateAddressesOf } from './push/private-addresses.ts'
export {
  auditBypass,
  findPushProblem,
  type PushTarget,
} from './push/push-rules.ts'

export * from './operations.ts'
