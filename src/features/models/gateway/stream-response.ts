/** Streams to clients, which are kept alive while a call waits for its turn or for its model. */
import type { ProtocolRequest } from '#core/protocol-routes.ts'
import { SECOND } from '#lib/time.ts'
import { withTimeout } from '#lib/waiting.ts'

/** Proxies and programs take a connection that is silent for about half a minute for lost. */
const MAX_SILENCE_MS = 10 * SECOND
/** A comment of server-sent events, which every reader skips. */
const COMMENT = ': the model is not ready\n\n'

const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}

/** The call that opens, or null when it takes longer than a client may wait without a byte. */
export const openedSoon = <T>(opening: Promise<T>): Promise<T | null> =>
  withTimeout(opening, MAX_SILENCE_MS, () => null)

/**
 * A stream at the pace of its reader, of texts that are whole events, with comments in between
 * while none comes. `abort` runs when the client goes away.
 */
export function streamResponse(
  { request }: Pick<ProtocolRequest, 'request'>,
  texts: AsyncGenerator<string>,
  abort: () => void,
  silenceMs: number = MAX_SILENCE_MS,
): Response {
  const encoder = new TextEncoder()
  // Begun at once: a generator that has not begun would not end its call when the client goes away.
  let pending: Promise<IteratorResult<string>> | null = texts.next()
  const end = (): void => {
    abort()
    void texts.return(undefined)
  }
  request.signal.addEventListener('abort', end, { once: true })
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        pending ??= texts.next()
        const next = await withTimeout(pending, silenceMs, () => null)
        if (next === null) return controller.enqueue(encoder.encode(COMMENT))
        pending = null
        if (!next.done) return controller.enqueue(encoder.encode(next.value))
        request.signal.removeEventListener('abort', end)
        controller.close()
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { headers: STREAM_HEADERS })
}
