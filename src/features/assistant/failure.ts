/** Why a model gave no answer, as a person reads it. */
import { ModelFailed } from '#features/models/index.ts'
import { Refusal } from '#lib/errors.ts'
import { OutboundError } from '#lib/outbound/outbound.ts'
import { MINUTE } from '#lib/time.ts'

export const MAX_ANSWERING_MS = 5 * MINUTE

export function failureOf(error: unknown): { code: string; message: string } {
  if (error instanceof Refusal) return { code: error.reason ?? error.code, message: error.message }
  if (error instanceof ModelFailed || error instanceof OutboundError)
    return { code: 'model_failed', message: error.message.slice(0, 500) }
  if (error instanceof Error && ['AbortError', 'TimeoutError'].includes(error.name))
    return { code: 'timed_out', message: 'the model took longer than 5 minutes' }
  return { code: 'internal', message: 'something went wrong on this server; its log says what' }
}
