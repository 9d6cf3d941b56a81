/** One try of one delivery: the request, and what came of it. */
import type { Hearth } from '#core/hearth.ts'
import { OutboundError, requestOutside } from '#lib/outbound.ts'
import { SECOND } from '#lib/time.ts'
import { headersOf } from './request.ts'
import { rulesOf } from './rules.ts'
import type { DeliveryError } from './schema.ts'
import { readSecret, signatureOf } from './secret.ts'
import type { HookRow } from './store.ts'
import type { DeliveryRow } from './store-deliveries.ts'

const DEADLINE = 10 * SECOND
const KEPT_BYTES = 64 * 1024

export type Outcome = {
  /** Whether the receiver took it. */
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
 * Tries once. Throws only when it was abandoned, in which case it has not happened, and when it
 * cannot be signed.
 */
export async function attempt(
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
    const { status, headers, body } = await requestOutside(new URL(hook.url), {
      rules: rulesOf(hearth),
      method: 'POST',
      headers: headersOf(delivery, signature),
      body: delivery.payload,
      timeout: DEADLINE,
      maxBytes: KEPT_BYTES,
      cut: true,
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
