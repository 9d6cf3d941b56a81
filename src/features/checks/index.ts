/** Acceptance checks: commands of an issue, run on the merge of a pull request with its base. */
import { reaction } from '#core/events.ts'
import { referencedFiles } from '#core/files.ts'
import type { Feature } from '#core/hearth.ts'
import { conditions } from '#core/gauges.ts'
import type { Job } from '#core/jobs.ts'
import { repoDataRemovers, retainedCommits, repoPurged } from '#features/repos/index.ts'
import { events } from './events.ts'
import { retainedCommitsOfRuns } from './store-kept-commits.ts'
import { runChecksJob } from './run-job.ts'
import { listLogPaths, removeRuns } from './store.ts'
import { isolationCondition } from './runner.ts'
import { removeLogs, sweepLogs } from './sweep.ts'
import * as operations from './operations.ts'

const followPurges = reaction(
  'logs of checks go with their repository',
  repoPurged,
  (tx, { repo_id }) => {
    if (repo_id !== null) tx.enqueue(removeLogs, { repo_id }, { key: repo_id })
  },
)

export const feature: Feature = {
  name: 'checks',
  operations: Object.values(operations),
  events,
  reactions: [followPurges],
  jobs: [runChecksJob, sweepLogs, removeLogs] as Job[],
  extensions: [
    repoDataRemovers.with(removeRuns),
    retainedCommits.with(retainedCommitsOfRuns),
    referencedFiles.with({ folder: 'logs/checks', list: listLogPaths }),
    conditions.with(isolationCondition),
  ],
}

export * from './operations.ts'
export * from './schema.ts'
export { cancelChecks, cancelRun, dropChecks } from './end-run.ts'
export { checksCompleted, checksFinished } from './events.ts'
export { checksOf, checksOfRun, currentRun } from './check-record.ts'
export { wasApprovedHere, startChecks } from './start-run.ts'
export { isolationOf, limitsOf, prepareChecks, runnerOf } from './runner.ts'
export { mergeToTest } from './merge-to-test.ts'
export {
  checkOut as checkOutCommit,
  Untestable,
  type FileContents,
} from './tested-commit.ts'
export { currentRuns, type RunRow } from './store.ts'
