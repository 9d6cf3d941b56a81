/** Bytes to the client of a channel. */
import type { ServerChannel } from 'ssh2'
import { GitError } from '#git'

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
