/** Runs jobs of workflows: in this process, in a sandbox, and through runners elsewhere. */
import { handler, reaction } from '#core/events.ts'
import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import { protocolRoutes } from '#core/protocol-routes.ts'
import { repoPurged } from '#features/repos/index.ts'
import { jobLogs, runRemoved, workflowRunners } from '#features/workflows/index.ts'
import { readJobLog, removeJobLogs, removeLogsOfRepo, sweepJobLogs } from './job-logs.ts'
import { externalKind } from './external-runner.ts'
import { localKind } from './local-runner.ts'
import * as operations from './operations.ts'
import { wakeRunners } from './protocol/queue-watch.ts'
import { runnerRoutes } from './protocol/routes.ts'
import { closeTasks } from './protocol/task-end.ts'
import { logsOfRun } from './store.ts'
import { takeJob, takeQueued } from './take-job.ts'

export * from './operations.ts'
export * from './schema.ts'
export { LOCAL_LABELS } from './local-runner.ts'
export { localJobs, type LocalJobs } from './local-jobs.ts'
export { runnerCommands } from './runner-commands.ts'
export { executeJob } from './execute/execute-job.ts'
export { noContainers, type LogSink, type StepState } from './execute/job-input.ts'
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
  operations: Object.values(operations),
  reactions: [followPurges],
  handlers: [takeQueued, wakeRunners, followRuns],
  jobs: [takeJob, removeJobLogs, removeLogsOfRepo, sweepJobLogs, closeTasks] as Job[],
  extensions: [
    workflowRunners.with(localKind),
    workflowRunners.with(externalKind),
    jobLogs.with(readJobLog),
    ...runnerRoutes.map((route) => protocolRoutes.with(route)),
  ],
}
