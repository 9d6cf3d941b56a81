/** Runs jobs of workflows in this process: their steps in a sandbox, with logs and results. */
import { handler, reaction } from '#core/events.ts'
import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import { repoPurged } from '#features/repos/index.ts'
import { jobLogs, runRemoved, workflowRunners } from '#features/workflows/index.ts'
import { readJobLog, removeJobLogs, removeLogsOfRepo, sweepJobLogs } from './job-logs.ts'
import { localKind } from './local-runner.ts'
import { logsOfRun } from './store.ts'
import { takeJob, takeQueued } from './take-job.ts'

export { executeJob } from './execute/execute-job.ts'
export type { LogSink, StepState } from './execute/job-input.ts'
export type { ExecutableJob, ExecutionResult } from './execute/job-input.ts'

const followRuns = handler('logs of jobs go with their run', runRemoved, (tx, { run_id }) => {
  const logs = logsOfRun(tx.db, run_id)
  if (logs.length > 0) tx.enqueue(removeJobLogs, { logs })
})

const followPurges = reaction(
  'logs of jobs go with their repository',
  repoPurged,
  (tx, { repo_id }) => {
    if (repo_id !== null) tx.enqueue(removeLogsOfRepo, { repo_id }, { key: repo_id })
  },
)

export const feature: Feature = {
  name: 'runners',
  operations: [],
  reactions: [followPurges],
  handlers: [takeQueued, followRuns],
  jobs: [takeJob, removeJobLogs, removeLogsOfRepo, sweepJobLogs] as Job[],
  extensions: [workflowRunners.with(localKind), jobLogs.with(readJobLog)],
}
