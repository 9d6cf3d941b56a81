/**
 * Security findings: alerts of scanners, dependencies with known vulnerabilities, private reports
 * and advisories, and the teams that work on them. A leaf.
 */
import { blobHolders } from '#core/blobs.ts'
import type { Feature, Hearth } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import {
  commitContexts,
  packageAdvisories,
  repoDataRemovers,
  requireRepo,
  settingsOf,
} from '#features/repos/index.ts'
import { contextsOfAnalyses } from './code-scanning/commit-results.ts'
import { followBranches, forgetBranch, sweepUploads } from './code-scanning/follow-branches.ts'
import { processUpload } from './code-scanning/process-upload.ts'
import { removeCodeAlertsOfRepo } from './code-scanning/store-alerts.ts'
import {
  holdsUploadBlob,
  listUploadBlobs,
  removeAnalysesOfRepo,
  removeUploadsOfRepo,
} from './code-scanning/store-analyses.ts'
import { events } from './events.ts'
import { hasFindings } from './overview/store.ts'
import * as operations from './operations.ts'
import { runPatternTest } from './patterns/pattern-test-job.ts'
import { scanHistoryJob } from './secrets/history-job.ts'
import { findWorkspace } from '#features/workspaces/index.ts'
import { standingAlerts } from '#features/pulls/index.ts'
import { isSecurityManager } from './managers/store.ts'
import { findStandingAlerts } from './merging/standing-alerts.ts'
import { scanText, textHandlers, textReactions } from './secrets/follow-texts.ts'
import { pushFindings } from './secrets/push-findings.ts'
import { removeAlertsOfRepo } from './secrets/store.ts'
import { sweepBypasses } from './secrets/sweep.ts'

import {
  contextsOfReviews,
  reviewDependencies,
  reviewOpened,
  reviewPushed,
} from './dependencies/review-pulls.ts'
import {
  scanAllDependencies,
  scanDependencies,
  scanArrivedDependencies,
  scanNewDefaultBranch,
  scanPushedDependencies,
} from './dependencies/scan-dependencies.ts'
import { advisorySource } from './dependencies/store-advisories.ts'
import { removeDependencyAlertsOfRepo } from './dependencies/store-alerts.ts'
import { sweepAdvisories } from './dependencies/sweep-advisories.ts'
import { removeForksOfRepo, removeForkStore, sweepForks } from './forks/remove-forks.ts'
import { forkReactions, syncAdvisoryFork } from './forks/sync-fork.ts'
import { hasReports } from './reports/store-reports.ts'

export * from './operations.ts'
export * from './schema.ts'
export * from './code-scanning/schema.ts'
export * from './reports/schema.ts'
export * from './dependencies/schema.ts'
export type { SecurityCheck } from './merging/list-security-checks.ts'
export type {
  FindingCounts,
  SecurityOverview,
  WeekCounts,
  WorkspaceSecurity,
} from './overview/schema.ts'
export * from './patterns/schema.ts'
export * from './secrets/schema.ts'
export {
  importAdvisories,
  ImportFault,
  type ImportProgress,
} from './dependencies/import-advisories.ts'
export { isSecurityManager }
export { osvDocument } from './reports/osv-document.ts'
export * from './forks/schema.ts'
export { isInvitedToAdvisory } from './forks/store-collaborators.ts'

/** Whether the pages of a repository show the tab of its findings. */
export const hasSecurity = ({ db }: Pick<Hearth, 'db'>, repo_id: string): boolean =>
  hasFindings(db, repo_id) || hasReports(db, repo_id)

/** Whether a person works on the findings of a workspace. */
export function managesSecurity(
  { db }: Pick<Hearth, 'db'>,
  workspace: string,
  person_id: string,
): boolean {
  const row = findWorkspace(db, workspace)
  return row !== null && isSecurityManager(db, row.id, person_id)
}

/** Whether vulnerabilities of a repository can be reported in private. */
export const takesReports = ({ db }: Pick<Hearth, 'db'>, repo_id: string): boolean =>
  settingsOf(requireRepo(db, repo_id)).vulnerability_reporting

export const feature: Feature = {
  name: 'security',
  operations: Object.values(operations),
  events,
  reactions: [
    followBranches,
    ...textReactions,
    scanPushedDependencies,
    scanNewDefaultBranch,
    reviewOpened,
    reviewPushed,
    ...forkReactions,
  ],
  handlers: [...textHandlers, scanArrivedDependencies],
  jobs: [
    processUpload,
    forgetBranch,
    sweepUploads,
    scanHistoryJob,
    scanText,
    runPatternTest,
    sweepBypasses,
    scanDependencies,
    scanAllDependencies,
    reviewDependencies,
    sweepAdvisories,
    syncAdvisoryFork,
    sweepForks,
    removeForkStore,
  ] as Job[],
  extensions: [
    commitContexts.with(contextsOfAnalyses),
    commitContexts.with(contextsOfReviews),
    packageAdvisories.with(advisorySource),
    repoDataRemovers.with(removeCodeAlertsOfRepo),
    repoDataRemovers.with(removeAnalysesOfRepo),
    repoDataRemovers.with(removeUploadsOfRepo),
    blobHolders.with({ isReferenced: holdsUploadBlob, list: listUploadBlobs }),
    pushFindings,
    standingAlerts.with(findStandingAlerts),
    repoDataRemovers.with(removeAlertsOfRepo),
    repoDataRemovers.with(removeDependencyAlertsOfRepo),
    repoDataRemovers.with(removeForksOfRepo),
  ],
}
