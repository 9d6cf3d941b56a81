/** Inputs of webhooks. */
import type { SignedIn } from '#core/caller.ts'
import { EVENT_TYPES } from '#core/event-types.ts'
import type { Hearth } from '#core/hearth.ts'
import { Type } from '#core/schema.ts'
import { invalid } from '#lib/errors.ts'
import { outboundClient, outboundMessage } from '#core/outbound.ts'
import { OutboundError } from '#lib/outbound/outbound.ts'
import { SECOND } from '#lib/time.ts'

export const Url = Type.String({
  minLength: 1,
  maxLength: 2000,
  description: 'Where events are sent: https, at a public address.',
})
export const Events = Type.Array(Type.String({ maxLength: 100 }), {
  maxItems: 100,
  description: 'Types of events; none means everything, types that come later included.',
})
export const Secret = Type.String({
  maxLength: 256,
  description: 'Signs what is sent; 16 to 256 characters. Made for you when left out or empty.',
})

const MAX_LOOKUP_MS = 3 * SECOND

/**
 * Parses a URL and checks that its address is allowed; throws 422 otherwise. A host name that does
 * not resolve now is accepted: it may resolve later, and the ping shows the failure.
 */
export async function readUrl(hearth: Hearth, caller: SignedIn, text: string): Promise<string> {
  const url = URL.parse(text.trim())
  if (!url || url.hostname === '')
    throw invalid('url', 'url must be an address such as https://example.com/hook')
  url.hash = ''
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    await Promise.race([
      outboundClient(hearth).checkAddress(url),
      new Promise<void>((resolve) => (timer = setTimeout(resolve, MAX_LOOKUP_MS))),
    ])
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    if (error.fault === 'blocked_address') throw invalid('url', outboundMessage(error, caller))
  } finally {
    clearTimeout(timer)
  }
  return url.href
}

/** Distinct event types. Throws 422 for an unknown type. */
export function readEvents(events: readonly string[]): string[] {
  const unknown = events.find((type) => !EVENT_TYPES.has(type))
  if (unknown !== undefined)
    throw invalid('events', `there is no event type ${JSON.stringify(unknown.slice(0, 100))}`)
  return [...new Set(events)]
}
