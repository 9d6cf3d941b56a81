/**
 * Bytes to and from a channel. Its stream is not read with `for await`: the iterator destroys the
 * channel when the client ends its side, as git does in version 2, and the response would be lost.
 */
import type { ServerChannel } from 'ssh2'
import { GitError } from '#git'

/** What waits to be read before the client has to wait. ssh2 adds its window of 2 MiB. */
const MAX_QUEUED_BYTES = 1 << 20

/** What the client sends. The chunks are copies, because the engine recycles their memory. */
export function inputOf(channel: ServerChannel): ReadableStream<Uint8Array> {
  let isOver = false
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const end = (): void => {
          if (!isOver) controller.close()
          isOver = true
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

const goneAway = (): GitError => new GitError('aborted', 'the connection was closed')

/**
 * Resolves when the channel takes more, or throws the reason of the signal: a client that reads
 * nothing must not hold a transfer that has ended. Throws GitError `aborted` when it is closed.
 */
export async function send(
  channel: ServerChannel,
  bytes: Uint8Array,
  signal?: AbortSignal,
): Promise<void> {
  signal?.throwIfAborted()
  if (!channel.writable) throw goneAway()
  if (channel.write(Buffer.from(bytes))) return
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const close = (): void => reject(goneAway())
  const abort = (): void => reject(signal?.reason)
  channel.once('drain', resolve)
  channel.once('close', close)
  signal?.addEventListener('abort', abort, { once: true })
  try {
    await promise
  } finally {
    channel.off('drain', resolve)
    channel.off('close', close)
    signal?.removeEventListener('abort', abort)
  }
}

/** Tells the user something, ends the channel, and gives the exit status of the command. */
export function finish(channel: ServerChannel, status: number, message: string | null): void {
  if (!channel.writable) return
  if (message !== null) channel.stderr.write(`${message}\n`)
  channel.exit(status)
  channel.end()
}
