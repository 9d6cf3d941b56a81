/**
 * The `.mtimes` file beside a pack of objects that nothing reaches (gitformat-pack, "pack-*.mtimes
 * files have the format"): for each when it was found so. Git calls such packs cruft packs, and
 * knows them by this file.
 */
import { be32, type PackIndex } from './pack-index.ts'
import { readWhole } from './read-whole.ts'

const HEADER = 12
const TRAILER = 40

/**
 * The times in seconds since 1970 in the order of the index; null when there is no such file, or
 * one that does not fit.
 */
export function readTimes(base: string, index: PackIndex): Uint32Array | null {
  const bytes = readWhole(`${base}.mtimes`)
  const { count } = index
  if (
    bytes === null ||
    bytes.length !== HEADER + count * 4 + TRAILER ||
    be32(bytes, 0) !== 0x4d544d45 ||
    be32(bytes, 4) !== 1 ||
    be32(bytes, 8) !== 1
  )
    return null
  const end = bytes.length - TRAILER
  if (Buffer.compare(bytes.subarray(end, end + 20), index.packChecksum) !== 0) return null
  if (
    Buffer.compare(
      Bun.SHA1.hash(bytes.subarray(0, end + 20)) as Uint8Array,
      bytes.subarray(end + 20),
    ) !== 0
  )
    return null
  const times = new Uint32Array(count)
  for (let place = 0; place < count; place++) times[place] = be32(bytes, HEADER + place * 4)
  return times
}

/** The bytes of such a file; `timeAt` gives the time of the object at a place of the index. */
export function buildTimes(index: PackIndex, timeAt: (place: number) => number): Uint8Array {
  const { count } = index
  const out = Buffer.alloc(HEADER + count * 4 + TRAILER)
  out.write('MTME', 0, 'latin1')
  out.writeUInt32BE(1, 4)
  out.writeUInt32BE(1, 8)
  for (let place = 0; place < count; place++) out.writeUInt32BE(timeAt(place), HEADER + place * 4)
  out.set(index.packChecksum, out.length - TRAILER)
  out.set(Bun.SHA1.hash(out.subarray(0, out.length - 20)) as Uint8Array, out.length - 20)
  return out
}
