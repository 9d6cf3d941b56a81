/** One attempt to send a delivery, and its outcome. */
import type { Hearth } from '#core/hearth.ts'
import { outboundClient } from '#core/outbound.ts'
import { OutboundError } from '#lib/outbound/outbound.ts'
import { SECOND } from '#lib/time.ts'
import { headersOf } from './request-headers.ts'
import type { DeliveryError } from './schema.ts'
import { readSecret, signatureOf } from './secret.ts'
import type { HookRow } from './store.ts'
import type { DeliveryRow } from './store-deliveries.ts'

const ATTEMPT_TIMEOUT_MS = 10 * SECOND
const MAX_RESPONSE_BYTES = 64 * 1024

export type Outcome = {
  /** Whether the receiver accepted it. */
  readonly arrived: boolean
  readonly url: string
  readonly signature: string
  readonly response: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
  } | null
  readonly error: DeliveryError | null
  readonly duration_ms: number
}

/**
 * Sends one request. Throws only when it was aborted, in which case it does not count as an
 * attempt, or when it cannot be signed.
 */
export async function sendAttempt(
  hearth: Hearth,
  hook: HookRow,
  delivery: DeliveryRow,
  signal: AbortSignal,
): Promise<Outcome> {
  const signature = signatureOf(readSecret(hearth, hook.secret), delivery.payload)
  const began = performance.now()
  const outcome = (rest: Pick<Outcome, 'arrived' | 'response' | 'error'>): Outcome => ({
    ...rest,
    url: hook.url,
    signature,
    duration_ms: Math.round(performance.now() - began),
  })
  try {
    const { status, headers, body } = await outboundClient(hearth).request(new URL(hook.url), {
      method: 'POST',
      headers: headersOf(delivery, signature),
      body: delivery.payload,
      timeoutMs: ATTEMPT_TIMEOUT_MS,
      maxBytes: MAX_RESPONSE_BYTES,
      truncate: true,
      signal,
    })
    const response = { status, headers: joined(headers), body: new TextDecoder().decode(body) }
    return outcome({
      arrived: status >= 200 && status < 300,
      response,
      error: status >= 300 && status < 400 ? 'redirect' : null,
    })
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    if (signal.aborted) throw new Error('the process is stopping')
    return outcome({ arrived: false, response: null, error: error.fault })
  }
}

const joined = (
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  )
