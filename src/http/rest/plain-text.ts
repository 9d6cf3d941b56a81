/** Operations with `text` as plain text. */
import { Refusal } from '#lib/errors.ts'
import type { Exchange } from '../exchange.ts'
import { streamOfUnknownLength } from '../responses.ts'
import { acceptsType, streamHeaders } from './streams.ts'

const MEDIA_TYPE = 'text/plain'

export const requestsPlainText = acceptsType(MEDIA_TYPE)

/**
 * Streams a text at the pace of the reader. The first part is read before anything is sent, so that
 * a refusal has its own status. `release` is called once, when the text has ended.
 */
export async function plainTextResponse(
  exchange: Exchange,
  parts: AsyncGenerator<string>,
  release: () => void,
): Promise<Response> {
  const headers = streamHeaders(exchange, MEDIA_TYPE)
  const end = (): void => {
    release()
    void parts.return(undefined)
  }
  let part: IteratorResult<string>
  try {
    part = await parts.next()
  } catch (error) {
    release()
    throw error
  }
  if (exchange.isHead) {
    end()
    return new Response(streamOfUnknownLength(), { headers })
  }
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          if (!part.done) controller.enqueue(encoder.encode(part.value))
          if (!part.done) part = await parts.next()
        } catch (error) {
          // The caller has lost the right: the text is cut off, and the client notices that.
          end()
          if (!(error instanceof Refusal)) throw error
          return controller.error(error)
        }
        if (!part.done) return
        end()
        controller.close()
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { headers })
}
