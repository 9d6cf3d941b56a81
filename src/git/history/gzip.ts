/** Compresses a stream of chunks with gzip (RFC 1952), synchronously and piece by piece. */
import zlib from 'node:zlib'

const PIECE_BYTES = 1 << 18
/** Magic, deflate, no flags, no time, system Unix, as `git archive` writes it. */
const HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3)
/** An empty final block (RFC 1951, section 3.2.6). */
const END_OF_DEFLATE = Uint8Array.of(0x03, 0)

/** Each piece ends at a byte boundary, so the compressed pieces can be joined. */
export function* gzip(chunks: Iterable<Uint8Array>): Generator<Uint8Array, void> {
  const piece = Buffer.allocUnsafe(PIECE_BYTES)
  let filled = 0
  let crc = 0
  let size = 0
  const flush = (): Uint8Array => {
    const bytes = piece.subarray(0, filled)
    crc = zlib.crc32(bytes, crc)
    size += filled
    filled = 0
    return zlib.deflateRawSync(bytes, { finishFlush: zlib.constants.Z_SYNC_FLUSH })
  }
  yield HEADER
  for (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      const length = Math.min(PIECE_BYTES - filled, chunk.length - at)
      piece.set(chunk.subarray(at, at + length), filled)
      filled += length
      at += length
      if (filled === PIECE_BYTES) yield flush()
    }
  }
  if (filled > 0) yield flush()
  const trailer = Buffer.alloc(8)
  trailer.writeUInt32LE(crc >>> 0, 0)
  trailer.writeUInt32LE(size % 2 ** 32, 4)
  yield END_OF_DEFLATE
  yield trailer
}
