/** Deflates content of any size in constant memory. */
import zlib from 'node:zlib'

/** Bytes that are deflated at once. */
const PIECE_BYTES = 1 << 20
const ADLER_MODULUS = 65521

/**
 * Yields one raw stream of deflate, made of pieces that end at a byte boundary (RFC 1951 section
 * 3.2.3). Pauses where it yields nothing, which is after each null among the blocks.
 */
export function* deflateRawPieces(
  blocks: Iterable<Uint8Array | null>,
  level: number,
  onPiece: (piece: Uint8Array) => void = () => {},
): Generator<Buffer, void> {
  const piece = Buffer.allocUnsafeSlow(PIECE_BYTES)
  let filled = 0
  const flush = (): Buffer => {
    const bytes = piece.subarray(0, filled)
    onPiece(bytes)
    filled = 0
    return zlib.deflateRawSync(bytes, { level, finishFlush: zlib.constants.Z_FULL_FLUSH })
  }
  for (const block of blocks) {
    if (block === null) {
      yield NOTHING
      continue
    }
    for (let at = 0; at < block.length; ) {
      const part = Math.min(block.length - at, PIECE_BYTES - filled)
      piece.set(block.subarray(at, at + part), filled)
      filled += part
      at += part
      if (filled === PIECE_BYTES) yield flush()
    }
  }
  if (filled > 0) yield flush()
  // An empty last block.
  yield Buffer.from([0x03, 0])
}

const NOTHING = Buffer.alloc(0)

/** The same as a stream of zlib (RFC 1950). */
export function* deflatePieces(
  blocks: Iterable<Uint8Array | null>,
  level = zlib.constants.Z_DEFAULT_COMPRESSION,
): Generator<Buffer, void> {
  yield Buffer.from([0x78, 0x9c])
  let sum = 1
  yield* deflateRawPieces(blocks, level, (piece) => {
    sum = joinAdler32(sum, Bun.hash.adler32(piece), piece.length)
  })
  const tail = Buffer.alloc(4)
  tail.writeUInt32BE(sum)
  yield tail
}

/** The Adler-32 of two pieces from those of each, as zlib's `adler32_combine`. */
function joinAdler32(first: number, second: number, secondBytes: number): number {
  const low = ((first & 0xffff) + (second & 0xffff) - 1 + ADLER_MODULUS) % ADLER_MODULUS
  const added = ((first & 0xffff) + ADLER_MODULUS - 1) * (secondBytes % ADLER_MODULUS)
  const high = ((first >>> 16) + (second >>> 16) + added) % ADLER_MODULUS
  return high * 0x10000 + low
}
