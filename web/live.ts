/** Server-sent events (HTML Living Standard 9.2) for pages that update while they are open. */
import { RIGHTS_INTERVAL_MS } from '#core/access.ts'
import type { EventRow } from '#core/events.ts'
import { Refusal } from '#lib/errors.ts'
import { SECOND } from '#lib/time.ts'
import { liveStates, subjectKey } from './live-states.ts'
import { currentLocale, withLocale } from './locale.ts'
import { openStream } from './open-streams.ts'
import { NoSuchPage, type Visit } from './site.ts'

/** A comment line that keeps the connection open while nothing happens. */
export const KEEP_ALIVE = ': waiting\n\n'

/** One event. A browser sends the last `id` when it connects again. */
export const serverEvent = (name: string, data: unknown, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`

/** Whether an error says that the reader may not read the page, or that it is gone. */
const isEndOfRight = (error: unknown): boolean =>
  error instanceof Refusal || error instanceof NoSuchPage

/** One open stream, from the events of a generator. */
class EventStream implements UnderlyingDefaultSource<Uint8Array> {
  readonly #encoder = new TextEncoder()
  /** The stream is read outside of the request that opened it. */
  readonly #locale = currentLocale()
  #timer: ReturnType<typeof setInterval> | null = null
  #isOpen = true

  constructor(
    private readonly events: AsyncGenerator<string>,
    private readonly requireRead: () => Promise<unknown>,
    private readonly release: () => void,
  ) {}

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    controller.enqueue(this.#encoder.encode('retry: 3000\n\n'))
    this.#timer = setInterval(() => void this.#checkRight(controller), RIGHTS_INTERVAL_MS)
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    try {
      const { value, done } = await withLocale(this.#locale, () => this.events.next())
      if (!this.#isOpen) return
      if (done) this.#close(controller)
      else controller.enqueue(this.#encoder.encode(value))
    } catch (error) {
      if (isEndOfRight(error)) return this.#close(controller)
      this.cancel()
      throw error
    }
  }

  cancel(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    if (this.#timer) clearInterval(this.#timer)
    this.release()
    void this.events.return(undefined)
  }

  async #checkRight(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    try {
      await this.requireRead()
    } catch (error) {
      if (isEndOfRight(error)) this.#close(controller)
    }
  }

  #close(controller: ReadableStreamDefaultController<Uint8Array>): void {
    if (this.#isOpen) controller.close()
    this.cancel()
  }
}

/**
 * Streams the events of a generator at the pace of the reader. `requireRead` throws a Refusal once
 * the reader has lost the right to the stream. It is called every few seconds, and the stream then
 * ends.
 */
export async function eventStreamResponse(
  visit: Visit,
  events: AsyncGenerator<string>,
  requireRead: () => Promise<unknown>,
): Promise<Response> {
  const release = await openStream(visit)
  const body = new ReadableStream(new EventStream(events, requireRead, release))
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
 * Yields `changed` once the hash of the page differs from `seen`. The page is loaded at the
 * beginning, after every event that may change it, and every `wait_ms`: once for all readers with
 * the same rights.
 */
export async function* watchState(
  visit: Visit,
  seen: string,
  state: () => Promise<string>,
  concerns: (event: EventRow) => boolean,
  wait_ms?: number,
): AsyncGenerator<string> {
  const states = liveStates(visit.hearth)
  const { signal } = visit.request
  const key = subjectKey(visit.url, visit.caller)
  const leave = states.join(key)
  try {
    for (;;) {
      // Listen first, so that an event during the load is not missed.
      const waiting = waitForEvent(visit, concerns, wait_ms)
      if ((await states.state(key, { compute: state, signal })) !== seen) {
        await Bun.sleep(delayOf(states.readersOf(key)))
        yield serverEvent('changed', null)
        return
      }
      await waiting
      if (signal.aborted || visit.hearth.draining.aborted) return
      yield KEEP_ALIVE
    }
  } finally {
    leave()
  }
}

/** Browsers fetch a page that has changed. Many of them do so one after the other. */
const delayOf = (readers: number): number =>
  readers < 10 ? 0 : Math.random() * Math.min(5 * SECOND, readers * 20)
