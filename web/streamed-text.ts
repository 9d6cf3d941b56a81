import { openStream } from './open-streams.ts'
import type { Visit } from './site.ts'

/** A part of a text, and what reads the part behind it; null after the last. */
export type TextPart = {
  readonly text: string
  readonly next: (() => Promise<TextPart | null>) | null
}

/**
 * A text that is read part by part, as fast as it is sent. The first part is read before anything
 * is sent, so that a refusal has its own status. A part that cannot be read ends the text.
 */
export async function streamedText(visit: Visit, first: TextPart | null): Promise<Response> {
  const release = await openStream(visit)
  const encoder = new TextEncoder()
  let part = first
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (part !== null && part.text !== '') controller.enqueue(encoder.encode(part.text))
        part = part?.next == null ? null : await part.next().catch(() => null)
        if (part !== null) return
        release()
        controller.close()
      },
      cancel: release,
    },
    { highWaterMark: 0 },
  )
  return new Response(body, {
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-cache',
      'content-security-policy': "default-src 'none'; sandbox",
    },
  })
}
