/** Why runs failed. The feature of workflows, which is another leaf, says it. */
import type { EventRow } from '#core/events.ts'
import type { Hearth } from '#core/hearth.ts'
import { runFailures, type RunFailure } from '#features/repos/index.ts'

export function failureOf(hearth: Hearth, data: EventRow['data']): RunFailure | null {
  const { run_id } = data
  if (typeof run_id !== 'string') return null
  for (const find of runFailures.all(hearth)) {
    const found = find(hearth.db, run_id)
    if (found) return found
  }
  return null
}

/** The job and its first error, for the event of a run that failed; null for other events. */
export const failureText = (hearth: Hearth, { type, data }: EventRow): string | null =>
  type === 'workflow.completed' ? (failureOf(hearth, data)?.text ?? null) : null
