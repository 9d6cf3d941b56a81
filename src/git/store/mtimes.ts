/**
 * Reads and writes the `.mtimes` file of a cruft pack, git's name for a pack of unreachable objects
 * (gitformat-pack, "pack-*.mtimes files have the format"). It has for each object the time at which
 * the object was first found unreachable.
 */
import { be32, type PackIndex } from './pack-index.ts'
import { readFileOrNull } from './read-file.ts'

const HEADER_BYTES = 12
const TRAILER_BYTES = 40

/**
 * Returns the times in seconds since 1970 by index position; null when the file is missing or
 * inconsistent.
 */
export function readMtimes(base: string, index: PackIndex): Uint32Array | null {
  const bytes = readFileOrNull(`${base}.mtimes`)
  const { count } = index
  if (
    bytes === null ||
    bytes.length !== HEADER_BYTES + count * 4 + TRAILER_BYTES ||
    be32(bytes, 0) !== 0x4d544d45 ||
    be32(bytes, 4) !== 1 ||
    be32(bytes, 8) !== 1
  )
    return null
  const end = bytes.length - TRAILER_BYTES
  if (Buffer.compare(bytes.subarray(end, end + 20), index.packChecksum) !== 0) return null
  if (
    Buffer.compare(
      Bun.SHA1.hash(bytes.subarray(0, end + 20)) as Uint8Array,
      bytes.subarray(end + 20),
    ) !== 0
  )
    return null
  const times = new Uint32Array(count)
  for (let indexPos = 0; indexPos < count; indexPos++)
    times[indexPos] = be32(bytes, HEADER_BYTES + indexPos * 4)
  return times
}

/** Returns the bytes of the file. `timeAt` returns the time of the object at an index position. */
export function buildMtimes(index: PackIndex, timeAt: (indexPos: number) => number): Uint8Array {
  const { count } = index
  const out = Buffer.alloc(HEADER_BYTES + count * 4 + TRAILER_BYTES)
  out.write('MTME', 0, 'latin1')
  out.writeUInt32BE(1, 4)
  out.writeUInt32BE(1, 8)
  for (let indexPos = 0; indexPos < count; indexPos++)
    out.writeUInt32BE(timeAt(indexPos), HEADER_BYTES + indexPos * 4)
  out.set(index.packChecksum, out.length - TRAILER_BYTES)
  out.set(Bun.SHA1.hash(out.subarray(0, out.length - 20)) as Uint8Array, out.length - 20)
  return out
}
