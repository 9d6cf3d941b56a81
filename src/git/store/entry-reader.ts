/**
 * Reads objects from packs. One thread has one reader, and all its stores share the scratch memory,
 * the cache of raw blocks and the arena of inflated objects. An object that does not fit into the
 * arena has memory of its own, which is reserved first and released before the next object is read.
 */
import { tmpdir } from 'node:os'
import { releaseBuffer } from '#lib/pieces.ts'
import { GitError } from '../ports.ts'
import {
  BLOB,
  EntryHeader,
  MAX_HEADER_BYTES,
  OFS_DELTA,
  REF_DELTA,
  TREE,
  parseEntryHeader,
} from '../pack/entry-header.ts'
import { DeltaCache } from '../pack/delta-cache.ts'
import { MAX_NON_BLOB_BYTES } from '../pack/object-limits.ts'
import { Arena } from './arena.ts'
import { copyBytes } from './copy-bytes.ts'
import { Deflater } from './deflate.ts'
import { applyDelta, deltaSizes } from './delta.ts'
import { createInflater } from './inflate.ts'
import { inflateStream, MAX_MEMORY_CONTENT_BYTES, StreamBuffers } from './large-content.ts'
import type { MemoryBudget } from '../tasks/memory-budget.ts'
import { blocksOfObject, fillFrom } from './object-blocks.ts'
import type { WorkBudget } from './work-budget.ts'
import type { PackFile } from './pack-file.ts'

const BLOCK_BYTES = 1 << 14
const BLOCK_COUNT = 256
const MAX_CHAIN = 10_000

/** Where memory for large objects is reserved, and where temporary files may be. */
export type LargeObjectLimits = { readonly memory: MemoryBudget; readonly tmp: string }

/** There is no memory now for all objects of a delta chain; a file for each needs less. */
class ChainTooLarge extends Error {}

export class EntryReader {
  /** The object that `load` found: `bytes[from, to)`, valid until the next call. */
  bytes: Buffer = Buffer.alloc(0)
  from = 0
  to = 0
  type = 0

  /** Bounds the work of the reader while it is set. */
  budget: WorkBudget | null = null

  readonly arena: Arena
  /** Deflates entries for the pack builders of this thread. */
  readonly deflater = new Deflater()
  /** Deltas that the pack builders of this thread created recently. */
  readonly deltaCache = new DeltaCache()
  /** Read windows of finished pack builders; allocating one costs more than using it. */
  readonly packWindows: Buffer[] = []
  /** Copies of small trees by depth, for all walks of this thread. */
  readonly treeBuffers: Buffer[] = []
  private readonly inflater = createInflater()
  private readonly header = new EntryHeader()
  private readonly blocks = Buffer.allocUnsafeSlow(BLOCK_BYTES * BLOCK_COUNT)
  private readonly blockPacks = new Array<PackFile | null>(BLOCK_COUNT).fill(null)
  private readonly blockNumbers = new Float64Array(BLOCK_COUNT)
  private readonly blockEnds = new Uint32Array(BLOCK_COUNT)
  private raw = Buffer.allocUnsafeSlow(1 << 16)
  private delta = Buffer.allocUnsafeSlow(1 << 16)
  /** The bytes that the last `readWindow` read. */
  private window: Buffer = this.blocks
  private windowFrom = 0
  private windowTo = 0
  /** The object of the view, when it has memory of its own. */
  private large: Buffer | null = null
  private streamBuffers: StreamBuffers | null = null

  constructor(
    arenaBytes: number,
    private readonly maxObjectBytes: number,
    private readonly limits: LargeObjectLimits | null = null,
  ) {
    this.arena = new Arena(arenaBytes)
  }

  /**
   * Inflates the object at an offset. Throws GitError `corrupt` for damaged data, and `busy` or
   * `too_large` for an object without memory.
   */
  load(pack: PackFile, offset: number): void {
    this.releaseView()
    try {
      this.loadChain(pack, offset)
    } catch (error) {
      this.releaseView()
      if (!(error instanceof ChainTooLarge)) throw error
      this.loadThroughFiles(pack, offset)
    }
  }

  /** Whether the arena has the object at an offset in these bytes. */
  isInArena(pack: PackFile, offset: number, bytes: Uint8Array): boolean {
    const { arena } = this
    const slot = arena.find(pack.arenaSlots, offset)
    return (
      slot >= 0 &&
      bytes.buffer === arena.memory.buffer &&
      bytes.byteOffset === arena.memory.byteOffset + arena.start(slot)
    )
  }

  /** Releases the view's own memory. Required before other tasks of the thread run. */
  releaseView(): void {
    if (this.large === null) return
    this.releaseLarge(this.large)
    this.large = null
    this.setView(this.blocks, 0, 0, this.type)
  }

  /**
   * Returns the bytes of the view in memory that belongs to the caller, who reserves it when it is
   * large.
   */
  takeView(): Uint8Array {
    const { bytes, from, to, large } = this
    if (large === null) return copyBytes(bytes, from, to)
    this.large = null
    this.limits?.memory.release(large.length)
    this.setView(this.blocks, 0, 0, this.type)
    return large.subarray(from, to)
  }

  /** Yields an object in blocks, as `blocksOfObject`. */
  blocksAt(pack: PackFile, offset: number): Generator<Uint8Array | null, void> {
    return blocksOfObject(this, pack, offset, this.limits?.tmp ?? tmpdir())
  }

  /** Returns the first `bytes` of an object, at most all of it. */
  startAt(pack: PackFile, offset: number, bytes: number): Uint8Array {
    const out = Buffer.allocUnsafeSlow(bytes)
    fillFrom(this.blocksAt(pack, offset), out)
    return out
  }

  /**
   * Reserves memory for what the caller computes from large objects. Returns what releases it.
   * Throws GitError `busy` or `too_large`.
   */
  hold(bytes: number): () => void {
    const { limits } = this
    if (limits === null) return () => {}
    limits.memory.requireReserve(bytes)
    let isHeld = true
    return () => {
      if (isHeld) limits.memory.release(bytes)
      isHeld = false
    }
  }

  private loadChain(pack: PackFile, offset: number): void {
    const chain: number[] = []
    let at = offset
    for (;;) {
      const slot = this.arena.find(pack.arenaSlots, at)
      if (slot >= 0) {
        this.setView(
          this.arena.memory,
          this.arena.start(slot),
          this.arena.end(slot),
          this.arena.type(slot),
        )
        break
      }
      this.readHeader(pack, at)
      const { type, size } = this.header
      if (type !== OFS_DELTA && type !== REF_DELTA) {
        this.loadWhole(pack, at, type, size)
        break
      }
      chain.push(at)
      if (chain.length > MAX_CHAIN) throw this.corrupt(pack, at, 'has an endless chain of deltas')
      at = this.baseOffset(pack, at)
    }
    for (let i = chain.length - 1; i >= 0; i--) {
      const base = this.large
      this.large = null
      try {
        this.loadDelta(pack, chain[i]!)
      } finally {
        // Nobody has seen the base. The collector would free it much later, so a chain of large
        // deltas would hold them all.
        if (base !== null) this.releaseLarge(base)
      }
    }
  }

  /** The same with a file for each large object of the chain, so that only the object is in memory. */
  private loadThroughFiles(pack: PackFile, offset: number): void {
    const { type, size } = this.headerAt(pack, offset)
    this.checkSize(pack, offset, size)
    const isLarge = size > this.arena.maxObjectBytes
    if (isLarge) this.limits?.memory.requireReserve(size)
    const large = isLarge ? Buffer.allocUnsafeSlow(size) : null
    try {
      const start = large === null ? this.arena.reserve(size) : 0
      const out = large ?? this.arena.memory
      fillFrom(this.blocksAt(pack, offset), out.subarray(start, start + size))
      if (large === null) this.arena.commit(pack.arenaSlots, offset, type, start, size)
      this.setView(out, start, start + size, type)
      this.large = large
    } catch (error) {
      if (large !== null) this.releaseLarge(large)
      throw error
    }
  }

  /**
   * Trees, commits and tags have at most 32 MiB (`pack/object-limits.ts`), and walks cannot do
   * without them. So they are counted whatever other work holds.
   */
  private allocateLarge(bytes: number, type: number): Buffer {
    const memory = this.limits?.memory
    if (type !== BLOB && bytes <= MAX_NON_BLOB_BYTES) memory?.add(bytes)
    else if (memory?.tryReserve(bytes) === false) throw new ChainTooLarge()
    return Buffer.allocUnsafeSlow(bytes)
  }

  private releaseLarge(buffer: Buffer): void {
    this.limits?.memory.release(buffer.length)
    releaseBuffer(buffer)
  }

  /**
   * Returns the type and inflated size of the object at an offset. Of a delta only the first bytes
   * are inflated.
   */
  headerAt(pack: PackFile, offset: number): { type: number; size: number } {
    const slot = this.arena.find(pack.arenaSlots, offset)
    if (slot >= 0)
      return { type: this.arena.type(slot), size: this.arena.end(slot) - this.arena.start(slot) }
    this.readHeader(pack, offset)
    let size = this.header.size
    let at = offset
    for (let links = 0; this.header.type === OFS_DELTA || this.header.type === REF_DELTA; links++) {
      if (links > MAX_CHAIN) throw this.corrupt(pack, at, 'has an endless chain of deltas')
      const base = this.baseOffset(pack, at)
      if (links === 0) size = this.deltaResultSize(pack, at)
      at = base
      this.readHeader(pack, at)
    }
    return { type: this.header.type, size }
  }

  /**
   * Returns the header of the entry itself, for deltas too. `headerBytes` is the length up to the
   * compressed data.
   */
  entryAt(
    pack: PackFile,
    offset: number,
  ): { type: number; size: number; base: number; headerBytes: number } {
    this.readHeader(pack, offset)
    const { type, size, dataAt } = this.header
    const headerBytes = dataAt - this.windowFrom
    const base = type === OFS_DELTA || type === REF_DELTA ? this.baseOffset(pack, offset) : -1
    return { type, size, base, headerBytes }
  }

  /** Sets the view to the empty tree, which need not be stored. */
  setEmptyTree(): void {
    this.setView(this.blocks, 0, 0, TREE)
  }

  private setView(bytes: Buffer, from: number, to: number, type: number): void {
    this.bytes = bytes
    this.from = from
    this.to = to
    this.type = type
  }

  private loadWhole(pack: PackFile, at: number, type: number, size: number): void {
    this.checkSize(pack, at, size)
    const skip = this.header.dataAt - this.windowFrom
    if (size > this.arena.maxObjectBytes) {
      const buffer = (this.large = this.allocateLarge(size + 1, type))
      this.inflateInto(pack, at + skip, buffer, size)
      this.setView(buffer, 0, size, type)
      return
    }
    const from = this.arena.reserve(size + 1)
    this.inflate(pack, at + skip, this.arena.memory, from, size)
    this.arena.commit(pack.arenaSlots, at, type, from, size)
    this.setView(this.arena.memory, from, from + size, type)
  }

  private loadDelta(pack: PackFile, at: number): void {
    this.readHeader(pack, at)
    const deltaSize = this.header.size
    this.checkSize(pack, at, deltaSize)
    const dataAt = at + this.header.dataAt - this.windowFrom
    if (deltaSize <= MAX_MEMORY_CONTENT_BYTES) {
      if (this.delta.length < deltaSize + 1) this.delta = Buffer.allocUnsafeSlow(deltaSize * 2 + 1)
      this.inflate(pack, dataAt, this.delta, 0, deltaSize)
      this.applyDelta(pack, at, this.delta, deltaSize)
      return
    }
    const delta = this.allocateLarge(deltaSize + 1, this.type)
    try {
      this.inflateInto(pack, dataAt, delta, deltaSize)
      this.applyDelta(pack, at, delta, deltaSize)
    } finally {
      this.releaseLarge(delta)
    }
  }

  private applyDelta(pack: PackFile, at: number, delta: Buffer, deltaSize: number): void {
    const { base, result, start } = deltaSizes(delta, 0, deltaSize)
    if (base !== this.to - this.from) throw this.corrupt(pack, at, 'does not fit its base')
    this.checkSize(pack, at, result)
    if (result > this.arena.maxObjectBytes) {
      const buffer = (this.large = this.allocateLarge(result, this.type))
      applyDelta(this.bytes, this.from, base, delta, start, deltaSize, buffer, 0, result)
      this.setView(buffer, 0, result, this.type)
      return
    }
    const baseInArena = this.bytes === this.arena.memory
    const from = this.arena.reserve(result, baseInArena ? this.from : 0, baseInArena ? this.to : 0)
    const out = this.arena.memory
    applyDelta(this.bytes, this.from, base, delta, start, deltaSize, out, from, result)
    this.arena.commit(pack.arenaSlots, at, this.type, from, result)
    this.setView(this.arena.memory, from, from + result, this.type)
  }

  /** Returns the size of the object that a delta produces, from the delta's first bytes. */
  private deltaResultSize(pack: PackFile, at: number): number {
    this.readHeader(pack, at)
    const skip = this.header.dataAt - this.windowFrom
    this.readWindow(pack, at + skip, 256)
    const out = new Uint8Array(32)
    this.inflater.begin()
    this.inflater.step(this.window, this.windowFrom, this.windowTo, out, 0, 32, false)
    return deltaSizes(out, 0, this.inflater.produced).result
  }

  private baseOffset(pack: PackFile, at: number): number {
    if (this.header.type === OFS_DELTA) {
      const base = at - this.header.distance
      if (base < 12 || base >= at) throw this.corrupt(pack, at, 'has its base outside of the pack')
      return base
    }
    const indexPos = pack.index.find(this.window, this.header.baseAt)
    if (indexPos < 0) throw this.corrupt(pack, at, 'has its base outside of the pack')
    return pack.index.offset(indexPos)
  }

  private readHeader(pack: PackFile, offset: number): void {
    this.readWindow(pack, offset, MAX_HEADER_BYTES)
    if (!parseEntryHeader(this.window, this.windowFrom, this.windowTo, this.header))
      throw this.corrupt(pack, offset, 'is cut off')
  }

  private inflate(
    pack: PackFile,
    offset: number,
    out: Uint8Array,
    outFrom: number,
    size: number,
  ): void {
    // Deflate's worst case is slightly more than the size. Unusual encoders exceed it, which the
    // second attempt covers.
    const bound = size + (size >>> 8) + 64
    this.readWindow(pack, offset, Math.min(bound, pack.size - 20 - offset))
    try {
      this.inflater.whole(this.window, this.windowFrom, this.windowTo, out, outFrom, size)
    } catch (error) {
      const maxInput = Math.min(pack.size - 20 - offset, bound * 4 + 65536)
      if (this.windowTo - this.windowFrom >= maxInput)
        throw this.corrupt(pack, offset, (error as Error).message)
      this.readWindow(pack, offset, maxInput)
      this.inflater.whole(this.window, this.windowFrom, this.windowTo, out, outFrom, size)
    }
  }

  /** Inflates a large entry in blocks, so that its compressed bytes are not in memory as well. */
  private inflateInto(pack: PackFile, offset: number, out: Buffer, size: number): void {
    if (size <= MAX_MEMORY_CONTENT_BYTES) return this.inflate(pack, offset, out, 0, size)
    const buffers = (this.streamBuffers ??= new StreamBuffers())
    const read = (input: Buffer, length: number, at: number): number =>
      pack.read(input, 0, length, at)
    let at = 0
    for (const length of inflateStream(this.inflater, buffers, read, [offset, pack.size], size))
      at += buffers.output.copy(out, at, 0, length)
  }

  /** Reads at least `want` bytes at an offset into `window`; fewer at the end of the pack. */
  private readWindow(pack: PackFile, offset: number, want: number): void {
    const block = Math.floor(offset / BLOCK_BYTES)
    const within = offset - block * BLOCK_BYTES
    if (within + want <= BLOCK_BYTES) {
      const slot = (block + pack.salt) & (BLOCK_COUNT - 1)
      const base = slot * BLOCK_BYTES
      if (this.blockNumbers[slot] !== block || this.blockPacks[slot] !== pack) {
        this.blockPacks[slot] = null
        this.blockEnds[slot] = pack.read(this.blocks, base, BLOCK_BYTES, block * BLOCK_BYTES)
        this.blockNumbers[slot] = block
        this.blockPacks[slot] = pack
      }
      this.window = this.blocks
      this.windowFrom = base + within
      this.windowTo = base + Math.max(within, this.blockEnds[slot]!)
      return
    }
    if (this.raw.length < want || this.raw.length > (1 << 22) + want)
      this.raw = Buffer.allocUnsafeSlow(Math.max(1 << 16, want))
    this.window = this.raw
    this.windowFrom = 0
    this.windowTo = pack.read(this.raw, 0, want, offset)
  }

  private checkSize(pack: PackFile, at: number, size: number): void {
    this.budget?.spendBytes(size)
    if (size > this.maxObjectBytes)
      throw new GitError('too_large', `object at ${at} of ${pack.name} has ${size} bytes`)
  }

  private corrupt(pack: PackFile, at: number, what: string): GitError {
    return new GitError('corrupt', `${pack.name}: the entry at ${at} ${what}`)
  }
}
