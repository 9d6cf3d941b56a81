/** Writes planned objects of a store as one pack with its index, for maintenance and export. */
import { closeSync, fsyncSync, openSync } from 'node:fs'
import { HashingWriter } from '../store/hashing-writer.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { PackIndex } from '../store/pack-index.ts'
import type { Tables } from '../store/tables.ts'
import { packOrder, writeReverseIndex } from '../store/reverse-index.ts'
import { writeDurably } from '../store/store-files.ts'
import { sortOids, writeIndexEntries, type IndexEntries } from './index-writer.ts'
import { PackBuilder, type DeltaPlan } from './pack-builder.ts'
import { countPlanned, type PackPart } from './pack-plan.ts'

/**
 * Writes `<path>.pack`, `.idx` and `.rev`, all synced, and pauses regularly. The tables are in
 * proportion to the objects that are not copied with a whole pack.
 */
export function* writePackFile(
  store: ObjectStore,
  parts: readonly PackPart[],
  path: string,
  deltas?: DeltaPlan,
): Generator<'pause', void, unknown> {
  const fd = openSync(`${path}.pack`, 'wx', 0o444)
  try {
    const writer = new HashingWriter(fd)
    const options = { ofsDelta: true, receiverHas: null, ...(deltas && { deltas }) }
    let rows: WrittenRows | null = null
    const builder = new PackBuilder(store, parts, options, writer, (...entry) =>
      rows!.add(...entry),
    )
    const { verbatimPack } = builder
    const { tables } = store
    rows = new WrittenRows(countPlanned(parts) - (verbatimPack?.index.count ?? 0), tables)
    let last = 0
    // Creating deltas is slow, so the task pauses more often with a delta plan.
    const due = () => builder.doneCount - last >= (deltas && deltas.size > 0 ? 8 : 512)
    for (const _ of builder.run(due)) {
      last = builder.doneCount
      yield 'pause'
    }
    const checksum = writer.finish()
    fsyncSync(fd)
    const entries =
      verbatimPack === null ? rows : new MergedEntries(verbatimPack.index, rows, tables)
    writeDurably(`${path}.idx`, (idx) => writeIndexEntries(idx, entries, checksum))
    yield 'pause'
    const index = PackIndex.open(`${path}.idx`)
    writeDurably(`${path}.rev`, (rev) => writeReverseIndex(rev, packOrder(index, tables), checksum))
  } finally {
    closeSync(fd)
  }
}

/** The entries that a builder wrote one by one, in the order of their ids once all are there. */
class WrittenRows implements IndexEntries {
  private readonly oids: Uint8Array
  private readonly crcs: Uint32Array
  private readonly offsets: Float64Array
  private rows = 0
  private order: Uint32Array | null = null

  constructor(
    readonly count: number,
    private readonly tables: Tables,
  ) {
    this.oids = tables.allocate(Uint8Array, count * 20)
    this.crcs = tables.allocate(Uint32Array, count)
    this.offsets = tables.allocate(Float64Array, count)
  }

  add(
    { index }: { readonly index: PackIndex },
    indexPos: number,
    offset: number,
    crc: number,
  ): void {
    const at = index.oidAt(indexPos)
    this.oids.set(index.raw.subarray(at, at + 20), this.rows * 20)
    this.crcs[this.rows] = crc
    this.offsets[this.rows++] = offset
  }

  oidBytes(): Uint8Array {
    return this.oids
  }

  oidAt(i: number): number {
    return this.row(i) * 20
  }

  crc(i: number): number {
    return this.crcs[this.row(i)]!
  }

  offset(i: number): number {
    return this.offsets[this.row(i)]!
  }

  private row(i: number): number {
    this.order ??= sortOids(this.oids, this.count, this.tables)
    return this.order[i]!
  }
}

/** The entries of a pack that was copied as a whole, and of those written after it. */
class MergedEntries implements IndexEntries {
  readonly count: number
  /** The index position of an entry in the copied pack; `~i` for the other entry number i. */
  private readonly sources: Int32Array

  constructor(
    private readonly index: PackIndex,
    private readonly rows: WrittenRows,
    tables: Tables,
  ) {
    this.count = index.count + rows.count
    this.sources = tables.allocate(Int32Array, this.count)
    let at = 0
    let indexPos = 0
    for (let i = 0; i < rows.count; i++) {
      const end = index.rank(rows.oidBytes(), rows.oidAt(i))
      while (indexPos < end) this.sources[at++] = indexPos++
      this.sources[at++] = ~i
    }
    while (indexPos < index.count) this.sources[at++] = indexPos++
  }

  oidBytes(i: number): Uint8Array {
    return this.sources[i]! < 0 ? this.rows.oidBytes() : this.index.raw
  }

  oidAt(i: number): number {
    const source = this.sources[i]!
    return source < 0 ? this.rows.oidAt(~source) : this.index.oidAt(source)
  }

  crc(i: number): number {
    const source = this.sources[i]!
    return source < 0 ? this.rows.crc(~source) : this.index.crc(source)
  }

  offset(i: number): number {
    const source = this.sources[i]!
    return source < 0 ? this.rows.offset(~source) : this.index.offset(source)
  }
}
