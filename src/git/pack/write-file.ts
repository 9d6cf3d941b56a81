/**
 * Writes chosen objects of a store as one pack on disk with its index, for maintenance and export.
 */
import { closeSync, fsyncSync, openSync } from 'node:fs'
import type { ObjectStore } from '../store/object-store.ts'
import { writeDurably } from '../store/files.ts'
import { buildRev, placesOf } from '../store/pack-order.ts'
import { PackBuilder, type DeltaPlan } from './build.ts'
import { sortRows, writeAll, writeIndex } from './index-writer.ts'
import { planPack, type Chosen } from './plan.ts'

const BLOCK = 1 << 20

/**
 * Writes `<path>.pack`, `.idx` and `.rev`, all synced; gives the count of objects. Pauses now and
 * then.
 */
export function* writePackFile(
  store: ObjectStore,
  chosen: Chosen,
  path: string,
  deltas?: DeltaPlan,
): Generator<'pause', number, unknown> {
  const parts = planPack(store, chosen)
  const total = parts.reduce((sum, part) => sum + part.ranks.length, 0)
  const fd = openSync(`${path}.pack`, 'wx', 0o444)
  try {
    const hasher = new Bun.CryptoHasher('sha1')
    const block = Buffer.allocUnsafeSlow(BLOCK)
    let filled = 0
    const flush = () => {
      hasher.update(block.subarray(0, filled))
      writeAll(fd, block.subarray(0, filled))
      filled = 0
    }
    const sink = {
      put(bytes: Buffer, from: number, to: number) {
        while (from < to) {
          const part = Math.min(BLOCK - filled, to - from)
          bytes.copy(block, filled, from, from + part)
          filled += part
          from += part
          if (filled === BLOCK) flush()
        }
      },
    }
    const oids = new Uint8Array(total * 20)
    const crcs = new Uint32Array(total)
    const offsets = new Float64Array(total)
    let row = 0
    const builder = new PackBuilder(
      store,
      parts,
      { ofsDelta: true, known: null, ...(deltas && { deltas }) },
      sink,
      ({ index }, place, offset, crc) => {
        const at = index.idAt(place)
        oids.set(index.raw.subarray(at, at + 20), row * 20)
        crcs[row] = crc
        offsets[row++] = offset
      },
    )
    let last = 0
    // New deltas take their time: then others have their turn more often.
    const due = () => builder.done - last >= (deltas && deltas.size > 0 ? 8 : 512)
    for (const _ of builder.run(due)) {
      last = builder.done
      yield 'pause'
    }
    flush()
    const checksum = new Uint8Array(hasher.digest() as Uint8Array)
    writeAll(fd, checksum)
    fsyncSync(fd)
    const rows = { count: total, oids, ids: null, crcs, offsets }
    const order = sortRows(rows)
    writeDurably(`${path}.idx`, (idx) => writeIndex(idx, rows, order, checksum))
    writeDurably(`${path}.rev`, buildRev(placesOf(order), checksum))
    return total
  } finally {
    closeSync(fd)
  }
}
