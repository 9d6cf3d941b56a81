/** Why a model gave no answer, as a person reads it. */
import { Refusal } from '#lib/errors.ts'
import { OutboundError } from '#lib/outbound/outbound.ts'
import { ModelFailed } from './open-call.ts'

/** `tookLonger` says how long the caller has waited. */
export function modelFailure(
  error: unknown,
  tookLonger: string,
): { code: string; message: string } {
  if (error instanceof Refusal) return { code: error.reason ?? error.code, message: error.message }
  if (error instanceof ModelFailed || error instanceof OutboundError)
    return { code: 'model_failed', message: error.message.slice(0, 500) }
  if (error instanceof Error && ['AbortError', 'TimeoutError'].includes(error.name))
    return { code: 'timed_out', message: tookLonger }
  return { code: 'internal', message: 'something went wrong on this server; its log says what' }
}
