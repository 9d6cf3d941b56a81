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
  /** Whether it runs jobs at all; if it does not say, it does. */
  readonly isOn?: (hearth: Hearth) => boolean
  /** Whether one of its runners has all these labels. */
  readonly accepts: (hearth: Hearth, labels: readonly string[]) => boolean
}
export const workflowRunners = extensionPoint<RunnerKind>('workflows.runners')

/** The kinds that run jobs of this forge. */
export const runnerKinds = (hearth: Hearth): readonly RunnerKind[] =>
  workflowRunners.all(hearth).filter(({ isOn }) => isOn?.(hearth) ?? true)

/** Reads lines of a job's log, from the line `from` (counted from 1). */
export type JobLogReader = (
  hearth: Hearth,
  job: JobRow,
  from: number,
  count: number,
) => Promise<LogPage>
export const jobLogs = extensionPoint<JobLogReader>('workflows.job_logs')
