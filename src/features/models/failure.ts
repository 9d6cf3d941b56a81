/** Why a model gave no answer, as a person reads it. */
import { Refusal } from '#lib/errors.ts'
import { OutboundError } from '#lib/outbound/outbound.ts'
import { ModelFailed } from './open-call.ts'
import { BadAnswer } from './wires/sse.ts'

const MAX_MESSAGE_CHARS = 400
/** How the failure of a provider is mended. */
const MENDING = 'an owner can test the connection under Settings, Integrations'

export type ModelFailure = {
  readonly code: string
  /** For people with Write, and for whoever asked. */
  readonly message: string
  /** For whoever may read the repository. */
  readonly told: string
}

/** Whether a call failed by what was asked, by a limit or by its provider: no error of this program. */
export const isCallFailure = (error: unknown): error is Error =>
  [Refusal, ModelFailed, OutboundError, BadAnswer].some((kind) => error instanceof kind)

/** Whether somebody or the clock ended a call. */
export const isAborted = (error: unknown): boolean =>
  error instanceof Error && ['AbortError', 'TimeoutError'].includes(error.name)

/** `tookLonger` says how long the caller has waited. */
export function modelFailure(error: unknown, tookLonger: string): ModelFailure {
  const of = (code: string, message: string, told = message): ModelFailure => ({
    code,
    message,
    told,
  })
  if (error instanceof Refusal) return of(error.reason ?? error.code, error.message)
  if (error instanceof ModelFailed || error instanceof OutboundError) {
    const message = error.message.slice(0, MAX_MESSAGE_CHARS)
    return error instanceof ModelFailed && error.told !== error.message
      ? of('model_failed', `${message} (${MENDING})`, `${error.told} (${MENDING})`)
      : of('model_failed', message)
  }
  if (isAborted(error)) return of('timed_out', tookLonger)
  return of('internal', 'something went wrong on this server; its log says what')
}
