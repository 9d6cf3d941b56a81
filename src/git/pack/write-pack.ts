/** Writes selected objects of a store as one pack with its index, for maintenance and export. */
import { closeSync, fsyncSync, openSync } from 'node:fs'
import type { ObjectStore } from '../store/object-store.ts'
import { writeDurably } from '../store/store-files.ts'
import { invertOrder, writeReverseIndex } from '../store/reverse-index.ts'
import { HashingWriter } from '../store/hashing-writer.ts'
import { PackBuilder, type DeltaPlan } from './pack-builder.ts'
import { sortRows, writeIndex } from './index-writer.ts'
import { planPack, type ObjectSelection } from './pack-plan.ts'

/**
 * Writes `<path>.pack`, `.idx` and `.rev`, all synced, and pauses regularly. Returns the number of
 * objects.
 */
export function* writePackFile(
  store: ObjectStore,
  selection: ObjectSelection,
  path: string,
  deltas?: DeltaPlan,
): Generator<'pause', number, unknown> {
  const parts = planPack(store, selection)
  const total = parts.reduce((sum, part) => sum + part.positions.length, 0)
  const fd = openSync(`${path}.pack`, 'wx', 0o444)
  try {
    const sink = new HashingWriter(fd)
    const oids = new Uint8Array(total * 20)
    const crcs = new Uint32Array(total)
    const offsets = new Float64Array(total)
    let row = 0
    const builder = new PackBuilder(
      store,
      parts,
      { ofsDelta: true, receiverHas: null, ...(deltas && { deltas }) },
      sink,
      ({ index }, indexPos, offset, crc) => {
        const at = index.oidAt(indexPos)
        oids.set(index.raw.subarray(at, at + 20), row * 20)
        crcs[row] = crc
        offsets[row++] = offset
      },
    )
    let last = 0
    // Creating deltas is slow, so the task pauses more often with a delta plan.
    const due = () => builder.doneCount - last >= (deltas && deltas.size > 0 ? 8 : 512)
    for (const _ of builder.run(due)) {
      last = builder.doneCount
      yield 'pause'
    }
    const checksum = sink.finish()
    fsyncSync(fd)
    const rows = { count: total, oids, ids: null, crcs, offsets }
    const order = sortRows(rows)
    writeDurably(`${path}.idx`, (idx) => writeIndex(idx, rows, order, checksum))
    writeDurably(`${path}.rev`, (rev) => writeReverseIndex(rev, invertOrder(order), checksum))
    return total
  } finally {
    closeSync(fd)
  }
}
