/**
 * What arrives on a channel of ssh2, as a stream of the web. The channel is not read with
 * `for await`: the iterator destroys it when the other side ends its half, as git does in version 2,
 * and what is still to be said would be lost.
 */
import type { Readable } from 'node:stream'

/** What waits to be read before the other side has to wait. ssh2 adds its window of 2 MiB. */
const MAX_QUEUED_BYTES = 1 << 20

/**
 * The chunks are copies, because the engine recycles their memory. The stream ends with the error
 * of `faultOf` when there is one once the channel has ended.
 */
export function inputOf(
  channel: Readable,
  faultOf: () => Error | null = () => null,
): ReadableStream<Uint8Array> {
  let isOver = false
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const end = (): void => {
          if (isOver) return
          isOver = true
          const fault = faultOf()
          if (fault) controller.error(fault)
          else controller.close()
        }
        channel.on('data', (chunk: Uint8Array) => {
          if (isOver) return
          controller.enqueue(Uint8Array.from(chunk))
          if ((controller.desiredSize ?? 0) <= 0) channel.pause()
        })
        channel.on('end', end)
        channel.on('close', end)
      },
      pull() {
        channel.resume()
      },
      cancel() {
        isOver = true
        channel.resume()
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: MAX_QUEUED_BYTES }),
  )
}
