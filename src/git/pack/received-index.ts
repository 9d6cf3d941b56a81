/** Makes a received pack durable: its own bytes are synced, then the index is written and synced. */
import { closeSync, fsyncSync, openSync } from 'node:fs'
import { writeDurably } from '../store/files.ts'
import { buildRev, placesOf } from '../store/pack-order.ts'
import { buildIndex } from './index-writer.ts'
import type { LinkTable } from './links.ts'
import type { Rows } from './rows.ts'

const REV_FROM = 10_000

export function writeReceivedIndex(path: string, rows: Rows, links: LinkTable, checksum: Uint8Array): void {
  const oids = new Uint8Array(rows.count * 20)
  const ids = links.ids.bytes
  for (let row = 0; row < rows.count; row++) {
    const from = rows.ids[row]! * 20
    oids.set(ids.subarray(from, from + 20), row * 20)
  }
  const fd = openSync(path.replace(/idx$/, 'pack'), 'r+')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  const sorted = { count: rows.count, oids, crcs: rows.crcs, offsets: rows.offsets }
  writeDurably(path, buildIndex(sorted, checksum))
  // Small packs are put in order quicker than another file is read.
  if (rows.count >= REV_FROM) writeDurably(path.replace(/idx$/, 'rev'), buildRev(placesOf(sorted), checksum))
}
