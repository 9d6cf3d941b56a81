/**
 * Makes a received pack durable: its own bytes are synced, then the index is written and synced.
 */
import { closeSync, fchmodSync, fsyncSync, openSync } from 'node:fs'
import { writeDurably } from '../store/files.ts'
import { buildRev, placesOf } from '../store/pack-order.ts'
import { sortRows, writeIndex } from './index-writer.ts'
import type { LinkTable } from './links.ts'
import type { Rows } from './rows.ts'

/** Smaller packs are put in order quicker than another file is read. */
export const REV_FROM = 10_000

export function writeReceivedIndex(
  path: string,
  rows: Rows,
  links: LinkTable,
  checksum: Uint8Array,
): void {
  const fd = openSync(path.replace(/idx$/, 'pack'), 'r+')
  try {
    // From now on it is for reading, as every pack.
    fchmodSync(fd, 0o444)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  const named = {
    count: rows.count,
    oids: links.ids.bytes,
    ids: rows.ids,
    crcs: rows.crcs,
    offsets: rows.offsets,
  }
  const order = sortRows(named)
  writeDurably(path, (idx) => writeIndex(idx, named, order, checksum))
  if (rows.count >= REV_FROM)
    writeDurably(path.replace(/idx$/, 'rev'), buildRev(placesOf(order), checksum))
}
