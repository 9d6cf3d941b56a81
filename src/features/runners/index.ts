/** Runs jobs of workflows in this process: their steps in a sandbox, with logs and results. */
export { executeJob } from './execute/execute-job.ts'
export type {
  Annotation,
  ExecutableJob,
  ExecutionHost,
  ExecutionResult,
  LogSink,
  StepState,
} from './execute/job-input.ts'
