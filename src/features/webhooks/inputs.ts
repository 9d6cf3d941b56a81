/** What may be set on a webhook. */
import { EVENT_TYPES } from '#core/event-types.ts'
import type { Hearth } from '#core/hearth.ts'
import { Type } from '#core/schema.ts'
import { invalid } from '#lib/errors.ts'
import { checkedAddress, OutboundError } from '#lib/outbound.ts'
import { SECOND } from '#lib/time.ts'
import { rulesOf } from './rules.ts'

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

const LONGEST_LOOK_UP = 3 * SECOND

/**
 * Reads the address and looks whether it may be reached. Gives 422 for one that may not. A name
 * that has no address at this moment is taken: the ping shows it, and it may have one later.
 */
export async function readUrl(hearth: Hearth, text: string): Promise<string> {
  const url = URL.parse(text.trim())
  if (!url || url.hostname === '')
    throw invalid('url', 'url must be an address such as https://example.com/hook')
  url.hash = ''
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    await Promise.race([
      checkedAddress(url, rulesOf(hearth)),
      new Promise<void>((resolve) => (timer = setTimeout(resolve, LONGEST_LOOK_UP))),
    ])
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    if (error.fault === 'blocked_address') throw invalid('url', error.message)
  } finally {
    clearTimeout(timer)
  }
  return url.href
}

/** The types without repetition. Gives 422 for a name that no event has. */
export function readEvents(events: readonly string[]): string[] {
  const unknown = events.find((type) => !EVENT_TYPES.has(type))
  if (unknown !== undefined)
    throw invalid('events', `there is no event type ${JSON.stringify(unknown.slice(0, 100))}`)
  return [...new Set(events)]
}
