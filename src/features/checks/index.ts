/** Acceptance checks: commands of an issue, run on what a pull request would make of its base. */
import { reaction } from '#core/events.ts'
import { keptFiles } from '#core/files.ts'
import type { Feature } from '#core/hearth.ts'
import { conditions } from '#core/gauges.ts'
import type { Job } from '#core/jobs.ts'
import { belongings, keptCommits, repoPurged } from '#features/repos/index.ts'
import { events } from './events.ts'
import { getCheckLog } from './get-check-log.ts'
import { keptOfRuns } from './store-kept.ts'
import { runChecksJob } from './run-job.ts'
import { listLogPaths, removeRuns } from './store.ts'
import { isolationCondition } from './runners.ts'
import { removeLogs, sweepLogs } from './sweep.ts'

const followPurges = reaction(
  'logs of checks go with their repository',
  repoPurged,
  (tx, { repo_id }) => {
    if (repo_id !== null) tx.enqueue(removeLogs, { repo_id }, { key: repo_id })
  },
)

export const feature: Feature = {
  name: 'checks',
  operations: [getCheckLog],
  events,
  reactions: [followPurges],
  jobs: [runChecksJob, sweepLogs, removeLogs] as Job[],
  extensions: [
    belongings.with(removeRuns),
    keptCommits.with(keptOfRuns),
    keptFiles.with({ folder: 'logs/checks', named: listLogPaths }),
    conditions.with(isolationCondition),
  ],
}

export * from './schema.ts'
export { cancelChecks, cancelRun, dropChecks } from './end.ts'
export { checksCompleted, checksFinished } from './events.ts'
export { getCheckLog } from './get-check-log.ts'
export { checksOf, checksOfRun, checksStatus, currentRun } from './record.ts'
export { isKnownHere, startChecks, type NewChecks } from './start.ts'
export { isolationOf, prepareChecks } from './runners.ts'
export { keepCurrent, listResults, type ResultRow, type RunRow } from './store.ts'
