/** Writes selected objects of a store as one pack with its index, for maintenance and export. */
import { closeSync, fsyncSync, openSync } from 'node:fs'
import type { ObjectStore } from '../store/object-store.ts'
import { writeDurably } from '../store/store-files.ts'
import { buildReverseIndex, invertOrder } from '../store/reverse-index.ts'
import { PackBuilder, type DeltaPlan, type PackSink } from './pack-builder.ts'
import { sortRows, writeAll, writeIndex } from './index-writer.ts'
import { planPack, type ObjectSelection } from './pack-plan.ts'

const BLOCK_BYTES = 1 << 20

/** Writes to an open file in blocks of 1 MiB and hashes what it writes. */
class HashingSink implements PackSink {
  private readonly hasher = new Bun.CryptoHasher('sha1')
  private readonly block = Buffer.allocUnsafeSlow(BLOCK_BYTES)
  private filled = 0

  constructor(private readonly fd: number) {}

  put(bytes: Buffer, from: number, to: number): void {
    while (from < to) {
      const part = Math.min(BLOCK_BYTES - this.filled, to - from)
      bytes.copy(this.block, this.filled, from, from + part)
      this.filled += part
      from += part
      if (this.filled === BLOCK_BYTES) this.flush()
    }
  }

  /** Writes the rest, and the SHA-1 of everything after it. Returns the SHA-1. */
  finish(): Uint8Array {
    this.flush()
    const checksum = new Uint8Array(this.hasher.digest() as Uint8Array)
    writeAll(this.fd, checksum)
    return checksum
  }

  private flush(): void {
    this.hasher.update(this.block.subarray(0, this.filled))
    writeAll(this.fd, this.block.subarray(0, this.filled))
    this.filled = 0
  }
}

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
    const sink = new HashingSink(fd)
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
    writeDurably(`${path}.rev`, buildReverseIndex(invertOrder(order), checksum))
    return total
  } finally {
    closeSync(fd)
  }
}
