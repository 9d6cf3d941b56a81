/** Steps and outputs of a task as its runner reports them. */
import type { StepReport } from '#features/workflows/index.ts'
import { timestamp, type Timestamp } from '#lib/time.ts'
import type { Annotation } from '../execute/job-input.ts'
import type { Result, StepMessage } from './messages.ts'
import type { OpenTask } from './open-tasks.ts'

const MAX_OUTPUTS = 500
const MAX_OUTPUT_NAME_CHARS = 255
/** Of all outputs of a job together. */
const MAX_OUTPUT_CHARS = 1024 ** 2

type Conclusion = 'success' | 'failure' | 'cancelled' | 'skipped'

const CONCLUSIONS: Readonly<Partial<Record<Result, Conclusion>>> = {
  RESULT_SUCCESS: 'success',
  RESULT_FAILURE: 'failure',
  RESULT_CANCELLED: 'cancelled',
  RESULT_SKIPPED: 'skipped',
}

/** Null while there is no result. */
export const conclusionOf = (result: Result): Conclusion | null => CONCLUSIONS[result] ?? null

/** Clocks of other machines differ: nothing has happened later than now. */
const timeOf = (ms: number | null, now: number): Timestamp | null =>
  ms === null || ms <= 0 ? null : timestamp(Math.min(ms, now))

function conclusionOfStep(step: StepMessage, job: Conclusion | null): Conclusion | null {
  const outcome = conclusionOf(step.result)
  // Runners report what a step came to; one that may fail did no harm to its job.
  if (outcome === 'failure' && job === 'success') return 'success'
  return outcome === 'cancelled' && step.startedAt === null ? 'skipped' : outcome
}

/** The steps that have begun. `job` is what the job came to; null while it runs. */
export function stepReports(
  { log, steps }: OpenTask,
  messages: readonly StepMessage[],
  { job, now }: { readonly job: Conclusion | null; readonly now: number },
): StepReport[] {
  return messages.slice(0, steps.length).flatMap((step, index): StepReport[] => {
    const conclusion = conclusionOfStep(step, job)
    if (step.startedAt === null && conclusion === null) return []
    const hasLines = step.logLength > 0
    const from = hasLines ? log.lineOf(step.logIndex) : null
    const to = hasLines ? log.lineOf(step.logIndex + step.logLength) - 1 : null
    return [
      {
        number: index + 1,
        name: steps[index] ?? '',
        status: conclusion === null ? 'in_progress' : 'completed',
        conclusion,
        started_at: timeOf(step.startedAt, now),
        finished_at: conclusion === null ? null : timeOf(step.stoppedAt, now),
        log_from: from,
        log_to: from === null || to === null ? null : Math.max(from, to),
      },
    ]
  })
}

/** Annotations of lines as annotations of the steps that the lines are of. */
export const annotationsOf = (
  annotations: readonly Annotation[],
  steps: readonly StepReport[],
): Annotation[] =>
  annotations.map((annotation) => ({
    ...annotation,
    step:
      steps.findLast(({ log_from }) => log_from !== null && log_from <= annotation.step)?.number ??
      1,
  }))

/** The outputs that are kept: not too many, not too long, and none with a secret. */
export function keptOutputs(
  known: Readonly<Record<string, string>>,
  sent: Readonly<Record<string, string>>,
  { log }: OpenTask,
): Record<string, string> {
  const outputs: Record<string, string> = { ...known }
  let chars = Object.entries(outputs).reduce(
    (sum, [name, value]) => sum + name.length + value.length,
    0,
  )
  for (const [name, value] of Object.entries(sent)) {
    if (Object.hasOwn(outputs, name) || name.length > MAX_OUTPUT_NAME_CHARS) continue
    chars += name.length + value.length
    if (Object.keys(outputs).length >= MAX_OUTPUTS || chars > MAX_OUTPUT_CHARS) break
    if (!log.holdsSecret(value)) outputs[name] = value
  }
  return outputs
}
