/** Server-sent events (HTML Living Standard 9.2) for pages that update while they are open. */
import type { EventRow } from '#core/events.ts'
import { Refusal } from '#lib/errors.ts'
import type { Visit } from './site.ts'

/** A comment line that keeps the connection open while nothing happens. */
export const KEEP_ALIVE = ': waiting\n\n'

/** One event. A browser sends the last `id` when it connects again. */
export const serverEvent = (name: string, data: unknown, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`

/**
 * Streams the events of a generator at the pace of the reader. A Refusal ends the stream: the
 * reader has lost the right to it.
 */
export function eventStreamResponse(events: AsyncGenerator<string>): Response {
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode('retry: 3000\n\n')),
    async pull(controller) {
      try {
        const { value, done } = await events.next()
        if (done) return controller.close()
        controller.enqueue(encoder.encode(value))
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        controller.close()
      }
    },
    cancel: () => void events.return(undefined),
  })
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    },
  })
}

/**
 * Below the usual timeout of idle connections. Changes without an event, such as reactions, appear
 * after this time at the latest.
 */
const DEFAULT_WAIT_MS = 20_000

/** Resolves with the next event that may change the page, or after the time. */
export function waitForEvent(
  { hearth, request }: Visit,
  concerns: (event: EventRow) => boolean,
  wait_ms = DEFAULT_WAIT_MS,
): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      stop()
      request.signal.removeEventListener('abort', end)
      hearth.draining.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, wait_ms)
    const stop = hearth.subscribe((event) => {
      if (concerns(event)) end()
    })
    request.signal.addEventListener('abort', end)
    hearth.draining.addEventListener('abort', end)
  })
}

/** A hash of the data of a page. */
export const hashState = (data: unknown): string => Bun.hash(JSON.stringify(data)).toString(36)

/**
 * Yields `changed` once the hash of the page differs from `seen`. The page is loaded again after
 * every event that may change it.
 */
export async function* watchState(
  visit: Visit,
  seen: string,
  state: () => Promise<string>,
  concerns: (event: EventRow) => boolean,
  wait_ms?: number,
): AsyncGenerator<string> {
  for (;;) {
    // Listen first, so that an event during the load is not missed.
    const waiting = waitForEvent(visit, concerns, wait_ms)
    if ((await state()) !== seen) {
      yield serverEvent('changed', null)
      return
    }
    await waiting
    if (visit.request.signal.aborted || visit.hearth.draining.aborted) return
    yield KEEP_ALIVE
  }
}
