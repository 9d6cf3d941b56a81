/** A bound for what a connection of ssh2 receives before its sign-in. */
import type { Socket } from 'node:net'

/**
 * Ends a connection whose other side sends more than so many bytes until the returned function is
 * called. ssh2 reads identifications of any length and any number of packets before a sign-in.
 */
export function limitEarlyBytes(socket: Socket, maxBytes: number): () => void {
  let bytes = 0
  const count = (chunk: Uint8Array): void => {
    bytes += chunk.length
    if (bytes > maxBytes) socket.destroy(new Error('it sent too much before the sign-in'))
  }
  // A listener makes the socket read, and ssh2 is not ready yet. So this one comes with its own.
  const begin = (event: string | symbol): void => {
    if (event !== 'data') return
    socket.off('newListener', begin)
    socket.on('data', count)
  }
  socket.on('newListener', begin)
  return () => {
    socket.off('newListener', begin)
    socket.off('data', count)
  }
}
