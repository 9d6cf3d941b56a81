/** Memory of byte buffers that pass through, released without waiting for the collector. */

/**
 * Releases the memory of bytes that fill their buffer. The garbage collector frees it much later,
 * and a large file would stay in memory until then.
 */
export function release(bytes: Uint8Array): void {
  if (bytes.buffer.byteLength === bytes.byteLength) releaseBuffer(bytes)
}

/** Releases the whole buffer of bytes, or gives lent bytes back. The caller must own all of it. */
export function releaseBuffer(bytes: ArrayBufferView): void {
  const { buffer } = bytes
  if (bytes instanceof LentBytes) bytes.isReleased = true
  else if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0)
}

/** Bytes in memory that is used again once they are released. Their parts are ordinary bytes. */
export class LentBytes extends Uint8Array<SharedArrayBuffer> {
  static get [Symbol.species](): typeof Uint8Array {
    return Uint8Array
  }

  isReleased = false
}

/** The same pieces. Each is released when the next is requested, so callers must not keep them. */
export async function* releaseAfterUse(
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    yield piece
    release(piece)
  }
}
