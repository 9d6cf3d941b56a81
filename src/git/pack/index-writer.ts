/** Writes pack indexes of version 2, byte for byte as git does (gitformat-pack). */
import { writeSync } from 'node:fs'

/** The data of an index. Row i of each column belongs to one object; the order is arbitrary. */
export type IndexRows = {
  readonly count: number
  /** Raw ids. The id of row i is at `ids[i] * 20`, or at `i * 20` when `ids` is null. */
  readonly oids: Uint8Array
  readonly ids: Int32Array | null
  readonly crcs: Uint32Array
  readonly offsets: Float64Array
}

const BLOCK_BYTES = 1 << 16

/**
 * Writes the index of the pack with this checksum to an open file, block by block. `order` is the
 * result of `sortRows`.
 */
export function writeIndex(
  fd: number,
  rows: IndexRows,
  order: Uint32Array,
  packChecksum: Uint8Array,
): void {
  const { count, oids, ids, crcs, offsets } = rows
  const hasher = new Bun.CryptoHasher('sha1')
  const block = Buffer.allocUnsafeSlow(BLOCK_BYTES)
  let filled = 0
  const flush = () => {
    hasher.update(block.subarray(0, filled))
    writeAll(fd, block.subarray(0, filled))
    filled = 0
  }
  const put32 = (value: number) => {
    if (filled + 4 > BLOCK_BYTES) flush()
    block.writeUInt32BE(value, filled)
    filled += 4
  }
  put32(0xff744f63)
  put32(2)
  const counts = new Uint32Array(256)
  for (let row = 0; row < count; row++) counts[oids[(ids === null ? row : ids[row]!) * 20]!]!++
  let sum = 0
  for (let byte = 0; byte < 256; byte++) put32((sum += counts[byte]!))
  for (let i = 0; i < count; i++) {
    if (filled + 20 > BLOCK_BYTES) flush()
    const at = (ids === null ? order[i]! : ids[order[i]!]!) * 20
    for (let k = 0; k < 20; k++) block[filled + k] = oids[at + k]!
    filled += 20
  }
  for (let i = 0; i < count; i++) put32(crcs[order[i]!]!)
  const wide: number[] = []
  for (let i = 0; i < count; i++) {
    const offset = offsets[order[i]!]!
    if (offset < 0x80000000) put32(offset)
    else {
      put32(0x80000000 + wide.length)
      wide.push(offset)
    }
  }
  for (const offset of wide) {
    put32(Math.floor(offset / 4294967296))
    put32(offset % 4294967296)
  }
  flush()
  hasher.update(packChecksum)
  writeAll(fd, packChecksum)
  writeAll(fd, hasher.digest() as Uint8Array)
}

/** Returns the row numbers in the order of their ids. */
export function sortRows({
  count,
  oids,
  ids,
}: {
  count: number
  oids: Uint8Array
  ids: Int32Array | null
}): Uint32Array {
  if (ids === null) return sortOids(oids, count)
  return sortRange(oids, (row) => ids[row]! * 20, count)
}

/**
 * Returns the numbers of ids in the order of the ids: a counting sort by the first two bytes, then
 * a sort within each bucket.
 */
export function sortOids(oids: Uint8Array, count: number): Uint32Array {
  return sortRange(oids, (row) => row * 20, count)
}

function sortRange(oids: Uint8Array, at: (row: number) => number, count: number): Uint32Array {
  const starts = new Uint32Array(65537)
  for (let i = 0; i < count; i++) starts[(oids[at(i)]! << 8) + oids[at(i) + 1]! + 1]!++
  for (let i = 0; i < 65536; i++) starts[i + 1]! += starts[i]!
  const order = new Uint32Array(count)
  const next = starts.slice(0, 65536)
  for (let i = 0; i < count; i++) order[next[(oids[at(i)]! << 8) + oids[at(i) + 1]!]!++] = i
  for (let bucket = 0; bucket < 65536; bucket++) {
    const from = starts[bucket]!
    const to = starts[bucket + 1]!
    if (to - from < 2) continue
    if (to - from > 64) {
      order.subarray(from, to).sort((a, b) => compareOids(oids, at(a), at(b)))
      continue
    }
    for (let i = from + 1; i < to; i++) {
      const row = order[i]!
      let j = i - 1
      while (j >= from && compareOids(oids, at(order[j]!), at(row)) > 0) {
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
    const order = oids[a + i]! - oids[b + i]!
    if (order !== 0) return order
  }
  return 0
}

/** Writes all bytes to an open file at its current position. */
export function writeAll(fd: number, bytes: Uint8Array): void {
  let at = 0
  while (at < bytes.length) at += writeSync(fd, bytes, at, bytes.length - at)
}
