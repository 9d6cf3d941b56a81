/** What ssh2 leaves to do between it and its socket. */
import type { Socket } from 'node:net'

/**
 * Joins what is written in one turn of the event loop. ssh2 writes a packet in three pieces and long
 * data in packets of 32 KiB, and each piece would be a call of the system and a segment of TCP.
 */
export function gatherWrites(socket: Pick<Socket, 'write' | 'cork' | 'uncork'>): void {
  const write = socket.write.bind(socket) as (...values: unknown[]) => boolean
  let isGathering = false
  const send = (): void => {
    isGathering = false
    socket.uncork()
  }
  socket.write = (...values: unknown[]): boolean => {
    if (!isGathering) {
      isGathering = true
      socket.cork()
      process.nextTick(send)
    }
    return write(...values)
  }
}

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
