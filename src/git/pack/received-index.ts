/** Makes a received pack durable: its own bytes are synced, then the index is written and synced. */
import { closeSync, fsyncSync, openSync } from 'node:fs'
import { writeDurably } from '../store/files.ts'
import { buildIndex } from './index-writer.ts'
import type { LinkTable } from './links.ts'
import type { Rows } from './rows.ts'

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
  writeDurably(path, buildIndex({ count: rows.count, oids, crcs: rows.crcs, offsets: rows.offsets }, checksum))
}
