/** Pages that follow what happens: server-sent events (HTML Living Standard 9.2) from a generator. */
import { Refusal } from '#lib/errors.ts'

/** Keeps the connection alive while nothing happens. */
export const WAITING = ': waiting\n\n'

/** One event; `id` is what a browser sends back when it had to connect anew. */
export const liveEvent = (name: string, data: unknown, id?: string): string => `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`

/** Sends what the generator gives, as fast as it is read. A Refusal ends the stream: who may no longer read has no more to follow. */
export function liveAnswer(events: AsyncGenerator<string>): Response {
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
  return new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', 'x-accel-buffering': 'no' } })
}
