/**
 * Pages that follow what happens: server-sent events (HTML Living Standard 9.2) from a generator.
 */
import type { EventRow } from '#core/events.ts'
import { Refusal } from '#lib/errors.ts'
import type { Visit } from './site.ts'

/** Keeps the connection alive while nothing happens. */
export const KEEP_ALIVE = ': waiting\n\n'

/** One event; `id` is what a browser sends back when it had to connect anew. */
export const serverEvent = (name: string, data: unknown, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`

/**
 * Sends what the generator gives, as fast as it is read. A Refusal ends the stream: who may no
 * longer read has no more to follow.
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
 * Shorter than any idle connection lives. What leaves no event (a reaction) is seen as late as
 * this.
 */
const DEFAULT_WAIT_MS = 20_000

/** Resolves when an event came that may show, or when the time is over. */
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

/** A short word for what a page was made of, so that another one can be told from it. */
export const hashState = (data: unknown): string => Bun.hash(JSON.stringify(data)).toString(36)

/**
 * `changed` once the page would be another one than it was with the state `seen`; asked again
 * whenever an event concerns it.
 */
export async function* watchState(
  visit: Visit,
  seen: string,
  state: () => Promise<string>,
  concerns: (event: EventRow) => boolean,
  wait_ms?: number,
): AsyncGenerator<string> {
  for (;;) {
    // Listening begins before looking, so that nothing happens unseen in between.
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
