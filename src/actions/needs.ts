/** Jobs of one file as others need them: the rows of a matrix together. */
import type { JsonObject } from './json.ts'
import type { Workflow, WorkflowJob } from './model.ts'
import type { JobConclusion, JobState, NeedsContext, RunState } from './run-state.ts'

/** A file of the run: its own, or one that a job calls. */
export type JobScope = {
  /** The key of the calling job; null for the run's own file. */
  readonly parent: string | null
  readonly workflow: Workflow
  /** The rows of this file by the ids of their jobs. */
  readonly rows: ReadonlyMap<string, readonly JobState[]>
}

export function scopesOf(run: RunState): JobScope[] {
  const byParent = new Map<string | null, Map<string, JobState[]>>()
  for (const row of run.jobs) {
    const rows = byParent.get(row.parent) ?? new Map<string, JobState[]>()
    byParent.set(row.parent, rows)
    rows.set(row.jobId, [...(rows.get(row.jobId) ?? []), row])
  }
  return [...byParent].flatMap(([parent, rows]) => {
    const workflow = workflowOf(run, parent)
    return workflow ? [{ parent, workflow, rows }] : []
  })
}

export const workflowOf = (run: RunState, parent: string | null): Workflow | null =>
  parent === null
    ? run.workflow
    : Object.hasOwn(run.callees, parent)
      ? (run.callees[parent] ?? null)
      : null

export const jobOf = (workflow: Workflow, id: string): WorkflowJob | undefined =>
  workflow.jobs.find((job) => job.id === id)

export const haveEnded = (rows: readonly JobState[]): boolean =>
  rows.every(({ status }) => status === 'completed')

/** How a row counts for others: `continue-on-error` makes a failure a success. */
export function effectiveConclusion({ conclusion, plan }: JobState): JobConclusion | null {
  const isForgiven = plan?.kind === 'steps' && plan.continueOnError
  const hasFailed = conclusion === 'failure' || conclusion === 'timed_out'
  return isForgiven && hasFailed ? 'success' : conclusion
}

/** The result of all rows of a job: `success`, `failure`, `cancelled` or `skipped`. */
export function resultOf(rows: readonly JobState[]): JobConclusion {
  const all = rows.map(effectiveConclusion)
  if (all.some((one) => one === 'failure' || one === 'timed_out')) return 'failure'
  if (all.includes('cancelled')) return 'cancelled'
  return all.every((one) => one === 'skipped') ? 'skipped' : 'success'
}

/** The outputs of all rows; of a matrix, the last that ended wins. */
export function outputsOf(rows: readonly JobState[]): Record<string, string> {
  const ended = [...rows].sort((a, b) => (a.endedAs ?? 0) - (b.endedAs ?? 0))
  return Object.fromEntries(ended.flatMap(({ outputs }) => Object.entries(outputs)))
}

export function needsContext(
  { rows }: Pick<JobScope, 'rows'>,
  needs: readonly string[],
): NeedsContext {
  return Object.fromEntries(
    needs.map((id) => {
      const found = rows.get(id) ?? []
      return [id, { result: resultOf(found), outputs: outputsOf(found) }]
    }),
  )
}

/** The `needs` context of a job of a run, with the outputs of today. */
export function needsOf(run: RunState, row: Pick<JobState, 'parent' | 'jobId'>): NeedsContext {
  const scope = scopesOf(run).find(({ parent }) => parent === row.parent)
  const job = scope && jobOf(scope.workflow, row.jobId)
  return scope && job ? needsContext(scope, job.needs) : {}
}

/** All jobs that a job needs, and those that they need. */
export function ancestorsOf(workflow: Workflow, needs: readonly string[]): string[] {
  const found = new Set(needs)
  for (const id of found) for (const need of jobOf(workflow, id)?.needs ?? []) found.add(need)
  return [...found]
}

export const asJson = (needs: NeedsContext): JsonObject => needs as unknown as JsonObject
