/** Makes a received pack durable: syncs the pack, then writes and syncs its index. */
import { closeSync, fchmodSync, fsyncSync, openSync } from 'node:fs'
import { writeDurably } from '../store/store-files.ts'
import { invertOrder, writeReverseIndex } from '../store/reverse-index.ts'
import { sortRows, writeIndex } from './index-writer.ts'
import type { LinkTable } from './link-table.ts'
import type { EntryTable } from './entry-table.ts'

/** Smaller packs get no `.rev` file: sorting their offsets is faster than reading one more file. */
export const MIN_REV_OBJECTS = 10_000

export function writeReceivedIndex(
  path: string,
  entries: EntryTable,
  links: LinkTable,
  checksum: Uint8Array,
): void {
  const fd = openSync(path.replace(/idx$/, 'pack'), 'r+')
  try {
    // The file is complete: read-only from now on, as every pack.
    fchmodSync(fd, 0o444)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  const rows = {
    count: entries.count,
    oids: links.ids.bytes,
    ids: entries.ids,
    crcs: entries.crcs,
    offsets: entries.offsets,
  }
  const order = sortRows(rows)
  writeDurably(path, (idx) => writeIndex(idx, rows, order, checksum))
  if (entries.count >= MIN_REV_OBJECTS)
    writeDurably(path.replace(/idx$/, 'rev'), (rev) =>
      writeReverseIndex(rev, invertOrder(order), checksum),
    )
}
