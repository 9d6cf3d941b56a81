/**
 * The second pass over a received pack: resolves its deltas and computes their ids. The walk goes
 * depth first, so each base is inflated once. The memory for bases is bounded. The content of a
 * dropped base is rebuilt when a further child needs it.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import { threadId } from 'node:worker_threads'
import { GitError } from '../ports.ts'
import { applyDelta, deltaSizes, type DeltaSizes } from '../store/delta.ts'
import { createInflater } from '../store/inflate.ts'
import {
  FileContent,
  MAX_MEMORY_CONTENT_BYTES,
  MemoryContent,
  StreamBuffers,
  StreamedDelta,
  inflateStream,
  type PackBytes,
} from '../store/large-content.ts'
import type { OidMap } from '../store/oid-map.ts'
import type { MemoryBudget } from '../tasks/memory-budget.ts'
import { BufferPool } from './buffer-pool.ts'
import { BLOB, OFS_DELTA, typeName } from './entry-header.ts'
import { checkObject } from './fsck.ts'
import { HASH_PREFIX_BYTES, hashObjectInto, startObjectHash } from './object-hash.ts'
import { MAX_NON_BLOB_BYTES, requireExplainedIds } from './object-limits.ts'
import type { LinkTable } from './link-table.ts'
import type { EntryTable } from './entry-table.ts'

/** Maximum length of a delta chain in a push. Git writes chains of at most 4095 deltas. */
const MAX_CHAIN_DEPTH = 4096
/**
 * Maximum size of all resolved deltas and deltas together, against decompression bombs. Real packs
 * expand to less than 100 times their size.
 */
const MAX_EXPANSION = { freeBytes: 1024 ** 3, times: 500 }
/** What one instruction of a streamed delta counts as, at least. */
const INSTRUCTION_BYTES = 64
/** Bytes of resolved deltas after which other tasks of the thread may run. */
const PAUSE_EVERY_BYTES = 4 << 20
/** Maximum size of the bases in temporary files. Bases beyond are rebuilt when they are needed. */
const MAX_FILE_BYTES = 1024 ** 3

export type ResolveLimits = {
  readonly maxObjectBytes: number
  /** Bounds the content of bases that is held in memory at once. */
  readonly memoryBytes: number
  /** Whether the pack comes from a client, so that its expansion is bounded. */
  readonly boundsExpansion: boolean
}

type ChainFrame = {
  readonly row: number
  /** Content behind `HASH_PREFIX_BYTES` free bytes; null when it is dropped or in `file`. */
  data: Buffer | null
  /** Content of a blob that is too large for memory; null when it is dropped or in `data`. */
  file: FileContent | null
  readonly size: number
  /** Row of the next child, or -1. OFS_DELTA children come first, then REF_DELTA children. */
  next: number
  refs: boolean
}

const NO_BYTES = Buffer.alloc(0)
/** The checksum at the end of a pack. */
const TRAILER_BYTES = 20

/** Whether content of this size is streamed instead of held in memory. */
const isStreamed = (type: number, size: number): boolean =>
  type === BLOB && size > MAX_MEMORY_CONTENT_BYTES

export class DeltaResolver {
  /** Number of resolved deltas. */
  resolved = 0
  /** Bytes of all resolved deltas so far. */
  private expandedBytes = 0
  private pausedAtBytes = 0
  private fileBytes = 0
  private fileCount = 0
  private readonly openFiles = new Set<FileContent>()
  private streamBuffers: StreamBuffers | null = null
  private readonly fd: number
  private readonly inflater = createInflater()
  private readonly pool: BufferPool
  private raw = new Uint8Array(1 << 16)
  private readonly oid = new Uint8Array(20)
  /** First child and next sibling by row, for OFS_DELTA. */
  private readonly firstOfs: Int32Array
  private readonly nextOf: Int32Array
  /** First child by number of the base id, for REF_DELTA. */
  private readonly firstRef: Int32Array
  readonly deltas: number

  constructor(
    private readonly path: string,
    private readonly entries: EntryTable,
    private readonly bases: OidMap,
    private readonly links: LinkTable,
    private readonly packEnd: number,
    private readonly limits: ResolveLimits,
    /** Rows of the whole objects whose deltas this resolver resolves; null for all. */
    private readonly roots: Int32Array | null = null,
    /** Large buffers beyond `limits.memoryBytes` are counted there. */
    memory: MemoryBudget | null = null,
  ) {
    this.pool = new BufferPool(memory, limits.memoryBytes)
    this.firstOfs = new Int32Array(entries.count).fill(-1)
    this.nextOf = new Int32Array(entries.count).fill(-1)
    this.firstRef = new Int32Array(bases.size).fill(-1)
    let deltas = 0
    for (let row = entries.count - 1; row >= 0; row--) {
      const link = entries.links[row]!
      if (link < 0) continue
      deltas++
      // Without REF_DELTA entries the type is not read, because another thread may be writing it.
      if (bases.size === 0 || entries.types[row] === OFS_DELTA) {
        this.nextOf[row] = this.firstOfs[link]!
        this.firstOfs[link] = row
      } else {
        this.nextOf[row] = this.firstRef[link]!
        this.firstRef[link] = row
      }
    }
    this.deltas = deltas
    this.fd = openSync(path, 'r')
  }

  close(): void {
    closeSync(this.fd)
    this.pool.close()
    for (const file of this.openFiles) file.close()
    this.openFiles.clear()
  }

  /** Resolves every delta whose chain ends in a whole object of the pack. */
  *run(): Generator<void> {
    const { entries } = this
    let before = 0
    const count = this.roots?.length ?? entries.count
    for (let i = 0; i < count; i++) {
      const row = this.roots === null ? i : this.roots[i]!
      if (entries.links[row]! >= 0) continue
      const type = entries.types[row]!
      const ref =
        this.bases.size === 0 || entries.ids[row]! < 0 ? -1 : this.refChildren(entries.ids[row]!)
      if (this.firstOfs[row]! < 0 && ref < 0) continue
      yield* this.descend(this.frame(row, entries.sizes[row]!, null, null), type)
      if (this.resolved - before > 256) {
        before = this.resolved
        yield
      }
    }
  }

  /** Resolves the deltas on a base outside the pack, given the content of that base. */
  *runFromBase(base: number, type: number, data: Uint8Array): Generator<void> {
    const first = this.firstRef[base]!
    if (first < 0) return
    this.firstRef[base] = -1
    const buffer = this.pool.acquire(data.length)
    buffer.set(data, HASH_PREFIX_BYTES)
    const size = data.length
    yield* this.descend({ row: -1, data: buffer, file: null, size, next: first, refs: true }, type)
  }

  /** The same for a base in a file that was passed to `keepFile`. */
  *runFromFile(base: number, type: number, file: FileContent): Generator<void> {
    const first = this.firstRef[base]!
    this.firstRef[base] = -1
    const { size } = file
    yield* this.descend({ row: -1, data: null, file, size, next: first, refs: true }, type)
  }

  /** Returns the numbers of the base ids that have unresolved children. */
  basesWaitedFor(): number[] {
    const found: number[] = []
    for (let base = 0; base < this.firstRef.length; base++)
      if (this.firstRef[base]! >= 0) found.push(base)
    return found
  }

  private refChildren(id: number): number {
    const base = this.bases.get(this.links.ids.bytes, id * 20)
    return base < 0 ? -1 : this.firstRef[base]!
  }

  private *descend(root: ChainFrame, type: number): Generator<void> {
    const stack = [root]
    while (stack.length > 0) {
      const frame = stack[stack.length - 1]!
      if (frame.next < 0 && !frame.refs && frame.row >= 0) {
        // The REF_DELTA children come after the OFS_DELTA children.
        frame.refs = true
        const base =
          this.bases.size === 0
            ? -1
            : this.bases.get(this.links.ids.bytes, this.entries.ids[frame.row]! * 20)
        if (base >= 0) {
          frame.next = this.firstRef[base]!
          this.firstRef[base] = -1
        }
      }
      if (frame.next < 0) {
        this.dropContent(frame)
        stack.pop()
        continue
      }
      const child = frame.next
      frame.next = this.nextOf[child]!
      if (stack.length > MAX_CHAIN_DEPTH)
        throw new GitError('invalid', `the pack has a chain of more than ${MAX_CHAIN_DEPTH} deltas`)
      if (frame.data === null && frame.file === null)
        yield* this.rebuildContent(stack, stack.length - 1, type)
      let resolved = this.applyChild(frame, child, type)
      if (resolved === null) resolved = yield* this.streamChild(frame, child, type)
      else this.identify(child, type, resolved)
      // The last child of a base without REF_DELTA children is known: the base is not needed again.
      if (frame.file !== null && frame.next < 0 && this.bases.size === 0) this.dropContent(frame)
      stack.push(resolved)
      if (this.pool.acquiredBytes > this.limits.memoryBytes || this.fileBytes > MAX_FILE_BYTES)
        this.dropBases(stack)
      if (++this.resolved % 512 === 0 || this.isPauseDue()) {
        requireExplainedIds(this.links.ids.size, this.packEnd)
        yield
      }
    }
  }

  private isPauseDue(): boolean {
    if (this.expandedBytes - this.pausedAtBytes < PAUSE_EVERY_BYTES) return false
    this.pausedAtBytes = this.expandedBytes
    return true
  }

  private frame(
    row: number,
    size: number,
    data: Buffer | null,
    file: FileContent | null,
  ): ChainFrame {
    return { row, data, file, size, next: this.firstOfs[row]!, refs: false }
  }

  /**
   * Rebuilds the content of the frame at `at` from the nearest frame that has content, or from the
   * pack.
   */
  private *rebuildContent(stack: ChainFrame[], at: number, type: number): Generator<void> {
    let from = at
    while (stack[from]!.data === null && stack[from]!.file === null && from > 0) from--
    const lowest = stack[from]!
    if (lowest.data === null && lowest.file === null) {
      const { row, size } = lowest
      if (isStreamed(type, size)) lowest.file = yield* this.inflateToFile(row, size)
      else {
        lowest.data = this.pool.acquire(size + 1)
        this.inflate(row, lowest.data, HASH_PREFIX_BYTES, size)
      }
    }
    for (let i = from + 1; i <= at; i++) {
      const frame = stack[i]!
      if (frame.data === null && frame.file === null) {
        const base = stack[i - 1]!
        const rebuilt =
          this.applyChild(base, frame.row, type) ??
          (yield* this.streamChild(base, frame.row, type, true))
        frame.data = rebuilt.data
        frame.file = rebuilt.file
        if (this.isPauseDue()) yield
      }
      // Only the last frame is needed now. Frames in between were dropped because memory was short.
      if (i - 1 > from && this.isOverLimits) this.dropContent(stack[i - 1]!)
    }
  }

  private get isOverLimits(): boolean {
    return this.pool.acquiredBytes > this.limits.memoryBytes || this.fileBytes > MAX_FILE_BYTES
  }

  private dropBases(stack: ChainFrame[]): void {
    for (let i = 0; i < stack.length - 1 && this.isOverLimits; i++) {
      if (stack[i]!.row >= 0) this.dropContent(stack[i]!)
    }
  }

  private dropContent(frame: ChainFrame): void {
    if (frame.data !== null) this.pool.release(frame.data)
    frame.data = null
    if (frame.file === null) return
    this.fileBytes -= frame.file.size
    this.openFiles.delete(frame.file)
    frame.file.close()
    frame.file = null
  }

  private newFile(): FileContent {
    return new FileContent(`${this.path}.base-${threadId}-${this.fileCount++}`)
  }

  /** Takes a file, which is closed when it is not needed any more, or with the resolver. */
  keepFile(file: FileContent): void {
    file.flush()
    this.fileBytes += file.size
    this.openFiles.add(file)
  }

  private readonly readPack: PackBytes = (out, length, offset) =>
    readSync(this.fd, out, 0, length, offset)

  /** Yields the lengths of the inflated blocks of an entry in `streamBuffers`. */
  private *inflateBlocks(row: number, buffers: StreamBuffers): Generator<number> {
    const { offsets, headerLengths, sizes } = this.entries
    const range = [offsets[row]! + headerLengths[row]!, this.packEnd + TRAILER_BYTES] as const
    yield* inflateStream(this.inflater, buffers, this.readPack, range, sizes[row]!)
  }

  private *inflateToFile(row: number, size: number): Generator<void, FileContent> {
    const buffers = (this.streamBuffers ??= new StreamBuffers())
    const file = this.newFile()
    let isWhole = false
    try {
      this.countExpansion(size)
      for (const length of this.inflateBlocks(row, buffers)) {
        file.append(buffers.output, 0, length)
        yield
      }
      this.keepFile(file)
      isWhole = true
      return file
    } finally {
      if (!isWhole) file.close()
    }
  }

  /**
   * Resolves a large blob piece by piece. Its content goes to a file only when deltas may copy from
   * it; otherwise it is only hashed. `isRebuilt` says that its id is known and its content needed.
   */
  private *streamChild(
    base: ChainFrame,
    row: number,
    type: number,
    isRebuilt = false,
  ): Generator<void, ChainFrame> {
    const buffers = (this.streamBuffers ??= new StreamBuffers())
    const { result } = this.deltaStart
    this.countExpansion(result + this.entries.sizes[row]!)
    const hasher = isRebuilt ? null : startObjectHash(type, result)
    const isBase = isRebuilt || this.firstOfs[row]! >= 0 || this.bases.size > 0
    const file = isBase && isStreamed(type, result) ? this.newFile() : null
    const data = isBase && file === null ? this.pool.acquire(result) : null
    let written = HASH_PREFIX_BYTES
    const content =
      base.file ?? new MemoryContent(base.data ?? NO_BYTES, HASH_PREFIX_BYTES, base.size)
    const delta = new StreamedDelta(content, result, (bytes, from, to) => {
      hasher?.update(bytes.subarray(from, to))
      file?.append(bytes, from, to)
      if (data !== null) written += bytes.copy(data, written, from, to)
    })
    let isWhole = false
    try {
      for (const length of this.inflateBlocks(row, buffers)) {
        for (const _ of delta.apply(buffers.output, 0, length)) yield
        yield
      }
      delta.end()
      this.countExpansion(delta.instructions * INSTRUCTION_BYTES)
      if (file !== null) this.keepFile(file)
      isWhole = true
    } finally {
      if (!isWhole) file?.close()
    }
    if (hasher !== null) {
      this.oid.set(hasher.digest() as Uint8Array)
      this.entries.types[row] = type
      this.entries.ids[row] = this.links.addOwned(this.oid, 0)
    }
    return this.frame(row, result, data, file)
  }

  private countExpansion(bytes: number): void {
    this.expandedBytes += bytes
    const { freeBytes, times } = MAX_EXPANSION
    if (this.limits.boundsExpansion && this.expandedBytes > freeBytes + times * this.packEnd)
      throw new GitError('too_large', 'the pack expands to too many bytes')
  }

  /** Sizes at the start of the delta that `applyChild` looked at. */
  private deltaStart: DeltaSizes = { base: 0, result: 0, start: 0 }

  /** Reads the sizes at the start of a delta of any size. */
  private readDeltaStart(row: number): DeltaSizes {
    const buffers = (this.streamBuffers ??= new StreamBuffers())
    const first = this.inflateBlocks(row, buffers).next()
    return deltaSizes(buffers.output, 0, first.done ? 0 : first.value)
  }

  /**
   * Returns a frame with the child's content, from the delta in the pack and the base's content.
   * Returns null, and leaves the sizes in `deltaStart`, when the child is too large for memory.
   */
  private applyChild(base: ChainFrame, row: number, type: number): ChainFrame | null {
    const deltaSize = this.entries.sizes[row]!
    if (base.data === null || isStreamed(type, deltaSize)) {
      this.deltaStart = this.readDeltaStart(row)
      this.checkDeltaSizes(base, type, this.deltaStart)
      return null
    }
    const delta = this.pool.acquire(deltaSize + 1)
    this.inflate(row, delta, 0, deltaSize)
    const sizes = deltaSizes(delta, 0, deltaSize)
    this.checkDeltaSizes(base, type, sizes)
    if (isStreamed(type, sizes.result)) {
      this.pool.release(delta)
      this.deltaStart = sizes
      return null
    }
    this.countExpansion(sizes.result + deltaSize)
    const data = this.pool.acquire(sizes.result)
    applyDelta(
      base.data,
      HASH_PREFIX_BYTES,
      base.size,
      delta,
      sizes.start,
      deltaSize,
      data,
      HASH_PREFIX_BYTES,
      sizes.result,
    )
    this.pool.release(delta)
    return this.frame(row, sizes.result, data, null)
  }

  private checkDeltaSizes(base: ChainFrame, type: number, sizes: DeltaSizes): void {
    if (sizes.base !== base.size) throw new GitError('corrupt', 'a delta does not fit its base')
    const { maxObjectBytes } = this.limits
    if (sizes.result > maxObjectBytes)
      throw new GitError('too_large', `an object has more than ${maxObjectBytes} bytes`)
    if (type !== BLOB && sizes.result > MAX_NON_BLOB_BYTES)
      throw new GitError(
        'too_large',
        `a ${typeName(type)} has more than ${MAX_NON_BLOB_BYTES} bytes`,
      )
  }

  private identify(row: number, type: number, frame: ChainFrame): void {
    hashObjectInto(type, frame.data!, HASH_PREFIX_BYTES, frame.size, this.oid)
    checkObject(type, frame.data!, HASH_PREFIX_BYTES, HASH_PREFIX_BYTES + frame.size, this.links)
    this.entries.types[row] = type
    this.entries.ids[row] = this.links.addOwned(this.oid, 0)
  }

  private inflate(row: number, out: Uint8Array, outFrom: number, size: number): void {
    const { offsets, headerLengths, count } = this.entries
    const from = offsets[row]! + headerLengths[row]!
    const to = row + 1 < count ? offsets[row + 1]! : this.packEnd
    const length = to - from
    if (this.raw.length < length) this.raw = new Uint8Array(length)
    let done = 0
    while (done < length) {
      const got = readSync(this.fd, this.raw, done, length - done, from + done)
      if (got === 0) throw new GitError('corrupt', 'the temporary pack is cut off')
      done += got
    }
    this.inflater.whole(this.raw, 0, length, out, outFrom, size)
    if (this.raw.length > 1 << 22) this.raw = new Uint8Array(1 << 16)
  }
}
