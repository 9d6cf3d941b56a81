/** Bytes that pass through in pieces. */

/**
 * Gives the memory of bytes back now, if nothing else is in it. The collector would come for it
 * only after a while, and until then a large file would be in memory.
 */
export function release(bytes: Uint8Array): void {
  if (bytes.buffer.byteLength === bytes.byteLength) releaseBuffer(bytes)
}

/**
 * The same where all of the buffer that the bytes are in is the caller's, although they may fill
 * only a part of it.
 */
export function releaseBuffer({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0)
}

/** The same pieces; each is gone once the next is asked for, so they must not be kept. */
export async function* releaseAfterUse(
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    yield piece
    release(piece)
  }
}
