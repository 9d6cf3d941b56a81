/** Extension points of workflows. */
import { extensionPoint } from '#core/extension-points.ts'
import type { Hearth } from '#core/hearth.ts'
import type { LogPage } from '#runner'
import type { JobPlan } from '#actions'
import type { Tx } from '#core/write.ts'
import type { WaitingFor } from './schema.ts'
import type { JobRow } from './jobs/store-jobs.ts'
import type { RunRow } from './runs/store-runs.ts'

/**
 * Something that takes jobs with `takeQueuedJob`. Without one nothing is planned, because its jobs
 * would wait for ever.
 */
export type RunnerKind = {
  readonly name: string
  /** Whether it runs jobs at all; if it does not say, it does. */
  readonly isOn?: (hearth: Hearth) => boolean
  /** Whether one of its runners has all these labels and serves the repository. */
  readonly accepts: (
    hearth: Hearth,
    labels: readonly string[],
    owner: Pick<JobRow, 'repo_id' | 'workspace_id'>,
  ) => boolean
}
export const workflowRunners = extensionPoint<RunnerKind>('workflows.runners')

/** The kinds that run jobs of this forge. */
export const runnerKinds = (hearth: Hearth): readonly RunnerKind[] =>
  workflowRunners.all(hearth).filter(({ isOn }) => isOn?.(hearth) ?? true)

/** Why a job may not begin: it waits, or it ends as failed with this reason. */
export type JobHold =
  | { readonly waiting_for: WaitingFor; readonly reason: string }
  | { readonly refused: string }

/**
 * Says whether a job that is about to begin has to wait; null when it may begin. Asked again at each
 * scheduling of its run, in the transaction; `requestScheduling` asks for one.
 */
export type JobGate = (
  tx: Tx,
  about: { readonly run: RunRow; readonly job: JobRow; readonly plan: JobPlan },
) => JobHold | null
export const jobGates = extensionPoint<JobGate>('workflows.job_gates')

/** Reads lines of a job's log, from the line `from` (counted from 1). */
export type JobLogReader = (
  hearth: Hearth,
  job: JobRow,
  from: number,
  count: number,
) => Promise<LogPage>
export const jobLogs = extensionPoint<JobLogReader>('workflows.job_logs')
