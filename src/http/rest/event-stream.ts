/** Operations with `follow` as server-sent events (HTML Living Standard 9.2). */
import type { StreamEvent } from '#core/operation.ts'
import { Refusal } from '#lib/errors.ts'
import { SECOND } from '#lib/time.ts'
import type { Exchange } from '../exchange.ts'
import { streamOfUnknownLength } from '../responses.ts'
import { type Renames, renamed } from '../shape.ts'
import { acceptsType, streamHeaders } from './streams.ts'

const MEDIA_TYPE = 'text/event-stream'

export const requestsEventStream = acceptsType(MEDIA_TYPE)

/** Below the usual timeout of idle connections at proxies. */
const HEARTBEAT_MS = 15 * SECOND
/** A comment line, which clients ignore. */
const HEARTBEAT = ': waiting\n\n'
/** How long a client waits before it connects again. */
const START = 'retry: 3000\n\n'

/** JSON has no line breaks, so one `data` line holds it. */
const formatEvent = ({ id, event, data }: StreamEvent, renames: Renames | null): string =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(renamed(renames, data))}\n\n`

/** The text to send next: one event, or a heartbeat after a silence. Null at the end. */
async function nextText(
  events: AsyncGenerator<StreamEvent | null>,
  renames: Renames | null,
): Promise<string | null> {
  const silentSince = performance.now()
  try {
    for (;;) {
      const { done, value } = await events.next()
      if (done) return null
      if (value !== null) return formatEvent(value, renames)
      if (performance.now() - silentSince >= HEARTBEAT_MS) return HEARTBEAT
    }
  } catch (error) {
    // The caller has lost the right. A client that connects again gets the refusal itself.
    if (error instanceof Refusal) return null
    throw error
  }
}

/** Streams events at the pace of the reader. `release` is called once, when the stream has ended. */
export function eventStreamResponse(
  exchange: Exchange,
  events: AsyncGenerator<StreamEvent | null>,
  renames: Renames | null,
  release: () => void,
): Response {
  const headers = streamHeaders(exchange, MEDIA_TYPE)
  headers.set('x-accel-buffering', 'no')
  const end = (): void => {
    release()
    void events.return(undefined)
  }
  if (exchange.isHead) {
    end()
    return new Response(streamOfUnknownLength(), { headers })
  }
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(START)),
    async pull(controller) {
      try {
        const text = await nextText(events, renames)
        if (text !== null) return controller.enqueue(encoder.encode(text))
      } catch (error) {
        end()
        throw error
      }
      end()
      controller.close()
    },
    cancel: end,
  })
  return new Response(body, { headers })
}
