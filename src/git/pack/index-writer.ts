/** Writes pack indexes of version 2, byte for byte as git does (gitformat-pack). */
import { compareOids } from '../store/compare-oids.ts'
import { HashingWriter } from '../store/hashing-writer.ts'
import { HEAP_TABLES, type Tables } from '../store/tables.ts'

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

/** The entries of an index in the order of their ids. */
export type IndexEntries = {
  readonly count: number
  /** The bytes that contain the id of an entry at `oidAt`. */
  oidBytes(i: number): Uint8Array
  oidAt(i: number): number
  crc(i: number): number
  offset(i: number): number
}

/**
 * Writes the index of the pack with this checksum to an open file, block by block. `order` is the
 * result of `sortRows`.
 */
export function writeIndex(
  fd: number,
  { count, oids, ids, crcs, offsets }: IndexRows,
  order: Uint32Array,
  packChecksum: Uint8Array,
): void {
  writeIndexEntries(
    fd,
    {
      count,
      oidBytes: () => oids,
      oidAt: (i) => (ids === null ? order[i]! : ids[order[i]!]!) * 20,
      crc: (i) => crcs[order[i]!]!,
      offset: (i) => offsets[order[i]!]!,
    },
    packChecksum,
  )
}

/** Writes the index of the pack with this checksum to an open file, block by block. */
export function writeIndexEntries(
  fd: number,
  entries: IndexEntries,
  packChecksum: Uint8Array,
): void {
  const { count } = entries
  const writer = new HashingWriter(fd, BLOCK_BYTES)
  writer.put32(0xff744f63)
  writer.put32(2)
  const counts = new Uint32Array(256)
  for (let i = 0; i < count; i++) counts[entries.oidBytes(i)[entries.oidAt(i)]!]!++
  let sum = 0
  for (let byte = 0; byte < 256; byte++) writer.put32((sum += counts[byte]!))
  for (let i = 0; i < count; i++) {
    const at = entries.oidAt(i)
    writer.put(entries.oidBytes(i), at, at + 20)
  }
  for (let i = 0; i < count; i++) writer.put32(entries.crc(i))
  const wide: number[] = []
  for (let i = 0; i < count; i++) {
    const offset = entries.offset(i)
    if (offset < 0x80000000) writer.put32(offset)
    else {
      writer.put32(0x80000000 + wide.length)
      wide.push(offset)
    }
  }
  for (const offset of wide) {
    writer.put32(Math.floor(offset / 4294967296))
    writer.put32(offset % 4294967296)
  }
  writer.put(packChecksum, 0, 20)
  writer.finish()
}

/** Returns the row numbers in the order of their ids. */
export function sortRows({
  count,
  oids,
  ids,
  tables = HEAP_TABLES,
}: {
  count: number
  oids: Uint8Array
  ids: Int32Array | null
  tables?: Tables
}): Uint32Array {
  if (ids === null) return sortOids(oids, count, tables)
  return sortRange(oids, (row) => ids[row]! * 20, count, tables)
}

/**
 * Returns the numbers of ids in the order of the ids: a counting sort by the first two bytes, then
 * a sort within each bucket.
 */
export function sortOids(
  oids: Uint8Array,
  count: number,
  tables: Tables = HEAP_TABLES,
): Uint32Array {
  return sortRange(oids, (row) => row * 20, count, tables)
}

function sortRange(
  oids: Uint8Array,
  at: (row: number) => number,
  count: number,
  tables: Tables,
): Uint32Array {
  const starts = new Uint32Array(65537)
  for (let i = 0; i < count; i++) starts[(oids[at(i)]! << 8) + oids[at(i) + 1]! + 1]!++
  for (let i = 0; i < 65536; i++) starts[i + 1]! += starts[i]!
  const order = tables.allocate(Uint32Array, count)
  const next = starts.slice(0, 65536)
  for (let i = 0; i < count; i++) order[next[(oids[at(i)]! << 8) + oids[at(i) + 1]!]!++] = i
  for (let bucket = 0; bucket < 65536; bucket++) {
    const from = starts[bucket]!
    const to = starts[bucket + 1]!
    if (to - from < 2) continue
    if (to - from > 64) {
      order.subarray(from, to).sort((a, b) => compareOids(oids, at(a), oids, at(b)))
      continue
    }
    for (let i = from + 1; i < to; i++) {
      const row = order[i]!
      let j = i - 1
      while (j >= from && compareOids(oids, at(order[j]!), oids, at(row)) > 0) {
        order[j + 1] = order[j]!
        j--
      }
      order[j + 1] = row
    }
  }
  return order
}
