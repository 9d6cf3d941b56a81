/**
 * Workflows: files that say which jobs run for which events. This feature plans runs and decides
 * about their jobs; runners (a later feature) take the jobs from its queue. A leaf.
 */
export { jobsQueued, runRemoved } from './events.ts'
export { jobLogs, workflowRunners, type JobLogReader, type RunnerKind } from './extension-points.ts'
export {
  endInterrupted,
  finishJob,
  LEASE_MS,
  renewLease,
  reportSteps,
  takeQueuedJob,
  type AnnotationReport,
  type JobResult,
  type JobRunner,
  type JobToRun,
  type LogReport,
  type StepReport,
} from './queue.ts'
export { runChanges } from './run-changes.ts'
export type { StopReason } from './running-jobs.ts'
export { findJob, type JobRow } from './store-jobs.ts'
