/** Writes pack indexes of version 2, byte for byte as git does (gitformat-pack). */
import { writeSync } from 'node:fs'

/** What an index says of a pack's objects; position i of each list belongs to one object, in any order. */
export type IndexRows = {
  readonly count: number
  /** 20 bytes each. */
  readonly oids: Uint8Array
  readonly crcs: Uint32Array
  readonly offsets: Float64Array
}

/** The bytes of the index of a pack with this checksum. */
export function buildIndex(rows: IndexRows, packChecksum: Uint8Array): Uint8Array {
  const { count, oids, crcs, offsets } = rows
  const order = sortOids(oids, count)
  let wideCount = 0
  for (let i = 0; i < count; i++) if (offsets[i]! >= 0x80000000) wideCount++
  const out = Buffer.alloc(8 + 1024 + count * 28 + wideCount * 8 + 40)
  out.writeUInt32BE(0xff744f63, 0)
  out.writeUInt32BE(2, 4)
  const crcAt = 8 + 1024 + count * 20
  const offsetAt = crcAt + count * 4
  const wideAt = offsetAt + count * 4
  let wide = 0
  let byte = 0
  for (let i = 0; i < count; i++) {
    const row = order[i]!
    const first = oids[row * 20]!
    for (; byte < first; byte++) out.writeUInt32BE(i, 8 + byte * 4)
    out.set(oids.subarray(row * 20, row * 20 + 20), 8 + 1024 + i * 20)
    out.writeUInt32BE(crcs[row]!, crcAt + i * 4)
    const offset = offsets[row]!
    if (offset >= 0x80000000) {
      out.writeUInt32BE(0x80000000 + wide, offsetAt + i * 4)
      out.writeUInt32BE(Math.floor(offset / 4294967296), wideAt + wide * 8)
      out.writeUInt32BE(offset % 4294967296, wideAt + wide * 8 + 4)
      wide++
    } else out.writeUInt32BE(offset, offsetAt + i * 4)
  }
  for (; byte < 256; byte++) out.writeUInt32BE(count, 8 + byte * 4)
  out.set(packChecksum, out.length - 40)
  out.set(Bun.SHA1.hash(out.subarray(0, out.length - 20)) as Uint8Array, out.length - 20)
  return out
}

/** Row numbers in the order of their ids: counted by two bytes, then put in order within each count. */
export function sortOids(oids: Uint8Array, count: number): Uint32Array {
  const starts = new Uint32Array(65537)
  for (let i = 0; i < count; i++) starts[(oids[i * 20]! << 8) + oids[i * 20 + 1]! + 1]!++
  for (let i = 0; i < 65536; i++) starts[i + 1]! += starts[i]!
  const order = new Uint32Array(count)
  const next = starts.slice(0, 65536)
  for (let i = 0; i < count; i++) order[next[(oids[i * 20]! << 8) + oids[i * 20 + 1]!]!++] = i
  for (let bucket = 0; bucket < 65536; bucket++) {
    const from = starts[bucket]!
    const to = starts[bucket + 1]!
    if (to - from < 2) continue
    if (to - from > 64) {
      order.subarray(from, to).sort((a, b) => compareOids(oids, a, b))
      continue
    }
    for (let i = from + 1; i < to; i++) {
      const row = order[i]!
      let j = i - 1
      while (j >= from && compareOids(oids, order[j]!, row) > 0) {
        order[j + 1] = order[j]!
        j--
      }
      order[j + 1] = row
    }
  }
  return order
}

function compareOids(oids: Uint8Array, a: number, b: number): number {
  for (let i = 0; i < 20; i++) {
    const order = oids[a * 20 + i]! - oids[b * 20 + i]!
    if (order !== 0) return order
  }
  return 0
}

/** Writes all bytes to an open file at its current position. */
export function writeAll(fd: number, bytes: Uint8Array): void {
  let at = 0
  while (at < bytes.length) at += writeSync(fd, bytes, at, bytes.length - at)
}
