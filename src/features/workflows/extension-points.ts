/** Extension points of workflows. */
import { extensionPoint } from '#core/extension-points.ts'
import type { Hearth } from '#core/hearth.ts'
import type { LogPage } from '#runner'
import type { JobRow } from './store-jobs.ts'

/**
 * Something that takes jobs with `takeQueuedJob`. Without one nothing is planned, because its jobs
 * would wait for ever.
 */
export type RunnerKind = {
  readonly name: string
  /** Whether one of its runners has all these labels. */
  readonly accepts: (hearth: Hearth, labels: readonly string[]) => boolean
}
export const workflowRunners = extensionPoint<RunnerKind>('workflows.runners')

/** Reads lines of a job's log, from the line `from` (counted from 1). */
export type JobLogReader = (
  hearth: Hearth,
  job: JobRow,
  from: number,
  count: number,
) => Promise<LogPage>
export const jobLogs = extensionPoint<JobLogReader>('workflows.job_logs')
