/** Where a fault comes: a state of the runner, and what happens then. */
import type { Call } from './proxy.ts'

const isFinal = ({ state }: Call): boolean => (state?.state?.result ?? '') === 'RESULT_SUCCESS'
const hasLine = ({ log }: Call): boolean =>
  log?.rows.some(({ content }) => content.includes('line 5')) ?? false

/** The call that a moment is about. */
export const MOMENTS = {
  /** The runner waits for a job. */
  registered: ({ name }) => name === 'FetchTask',
  leased: ({ name, hasTask }) => name === 'FetchTask' && hasTask,
  'first state': ({ name }) => name === 'UpdateTask',
  'in a step': hasLine,
  'end of the log': ({ log }) => log?.noMore ?? false,
  result: (call) => call.name === 'UpdateTask' && isFinal(call),
  'create artifact': ({ name }) => name === 'CreateArtifact',
  'send artifact': ({ name }) => name === 'PUT',
  'finalize artifact': ({ name }) => name === 'FinalizeArtifact',
} as const satisfies Readonly<Record<string, (call: Call) => boolean>>
export type Moment = keyof typeof MOMENTS

export type Victim =
  /** The runner is killed, and started again at once. */
  | 'runner'
  /** The runner is killed for good; another one is registered after its job has ended. */
  | 'runner for good'
  | 'forge'
  /** The answer is lost once. */
  | 'answer'

export type Point = {
  readonly moment: Moment
  readonly victim: Victim
  /** Before the forge hears of the call, or after it has done the work and before the runner hears. */
  readonly when: 'before' | 'after'
}

export const nameOf = ({ moment, victim, when }: Point): string =>
  `${moment}, ${when} the call: ${victim}`

export const allPoints = (): readonly Point[] =>
  (Object.keys(MOMENTS) as Moment[]).flatMap((moment) =>
    (['runner', 'runner for good', 'forge', 'answer'] as const).flatMap((victim) =>
      (['before', 'after'] as const).flatMap((when): Point[] => {
        // Whether there is a task is known with the answer only.
        if (moment === 'leased' && when === 'before') return []
        // A request that is lost is an answer that is lost to the runner, and nothing to the forge.
        if (victim === 'answer' && when === 'before' && moment !== 'result') return []
        return [{ moment, victim, when }]
      }),
    ),
  )

/**
 * What the job may come to. A runner that is killed with a job that it had begun takes the job with
 * it, unless its result had arrived. A job that it never began runs again; so does one of which it
 * had not reported anything, for the forge cannot tell them apart.
 */
export function expectedOf(
  { moment, victim, when }: Point,
  hasReported: boolean,
): readonly string[] {
  if (victim === 'forge' || victim === 'answer') return ['success']
  if (moment === 'registered' || moment === 'leased') return ['success']
  if (when === 'before' && !hasReported) return ['success']
  if (moment === 'result' && when === 'after') return ['success']
  // The first report may say nothing yet about a step.
  if (moment === 'first state') return ['success', 'failure']
  return ['failure']
}
