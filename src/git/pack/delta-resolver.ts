/**
 * The second pass over a received pack: resolves its deltas and computes their ids. The walk goes
 * depth first, so each base is inflated once. The memory for bases is bounded. The content of a
 * dropped base is rebuilt when a further child needs it.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import { GitError } from '../ports.ts'
import { applyDelta, deltaSizes } from '../store/delta.ts'
import { createInflater } from '../store/inflate.ts'
import type { OidMap } from '../store/oid-map.ts'
import { BufferPool } from './buffer-pool.ts'
import { BLOB, OFS_DELTA, typeName } from './entry-header.ts'
import { checkObject } from './fsck.ts'
import { HASH_PREFIX_BYTES, hashObjectInto } from './object-hash.ts'
import { MAX_NON_BLOB_BYTES } from './object-limits.ts'
import type { LinkTable } from './link-table.ts'
import type { EntryTable } from './entry-table.ts'

/** Maximum length of a delta chain in a push. Git writes chains of at most 4095 deltas. */
const MAX_CHAIN_DEPTH = 4096
/**
 * Maximum size of all resolved deltas together, against decompression bombs. Real packs expand to
 * less than 100 times their size.
 */
const MAX_EXPANSION = { free: 4 * 1024 ** 3, times: 500 }

/** `memoryBytes` bounds the content of bases that is held at once. */
export type ResolveLimits = { readonly maxObjectBytes: number; readonly memoryBytes: number }

type ChainFrame = {
  readonly row: number
  /** Content behind `HASH_PREFIX_BYTES` free bytes, or null after it was dropped. */
  data: Buffer | null
  readonly size: number
  /** Row of the next child, or -1. OFS_DELTA children come first, then REF_DELTA children. */
  next: number
  refs: boolean
}

export class DeltaResolver {
  /** Number of resolved deltas. */
  resolved = 0
  /** Bytes of all resolved deltas so far. */
  private expandedBytes = 0
  private readonly fd: number
  private readonly inflater = createInflater()
  private readonly pool = new BufferPool()
  private raw = new Uint8Array(1 << 16)
  private readonly oid = new Uint8Array(20)
  /** First child and next sibling by row, for OFS_DELTA. */
  private readonly firstOfs: Int32Array
  private readonly nextOf: Int32Array
  /** First child by number of the base id, for REF_DELTA. */
  private readonly firstRef: Int32Array
  readonly deltas: number

  constructor(
    path: string,
    private readonly entries: EntryTable,
    private readonly bases: OidMap,
    private readonly links: LinkTable,
    private readonly packEnd: number,
    private readonly limits: ResolveLimits,
    /** Rows of the whole objects whose deltas this resolver resolves; null for all. */
    private readonly roots: Int32Array | null = null,
  ) {
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
      yield* this.descend(
        { row, data: null, size: entries.sizes[row]!, next: this.firstOfs[row]!, refs: false },
        type,
      )
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
    yield* this.descend({ row: -1, data: buffer, size: data.length, next: first, refs: true }, type)
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
        if (frame.data !== null) this.pool.release(frame.data)
        stack.pop()
        continue
      }
      const child = frame.next
      frame.next = this.nextOf[child]!
      if (stack.length > MAX_CHAIN_DEPTH)
        throw new GitError('invalid', `the pack has a chain of more than ${MAX_CHAIN_DEPTH} deltas`)
      if (frame.data === null) this.rebuildContent(stack, stack.length - 1)
      const resolved = this.applyChild(frame, child)
      this.identify(child, type, resolved)
      stack.push(resolved)
      if (this.pool.acquiredBytes > this.limits.memoryBytes) this.dropBases(stack)
      if (++this.resolved % 512 === 0) yield
    }
  }

  /**
   * Rebuilds the content of the frame at `at` from the nearest frame that has content, or from the
   * pack.
   */
  private rebuildContent(stack: ChainFrame[], at: number): void {
    let from = at
    while (stack[from]!.data === null && from > 0) from--
    const lowest = stack[from]!
    if (lowest.data === null) {
      const row = lowest.row
      const buffer = this.pool.acquire(lowest.size + 1)
      this.inflate(row, buffer, HASH_PREFIX_BYTES, lowest.size)
      lowest.data = buffer
    }
    for (let i = from + 1; i <= at; i++) {
      const frame = stack[i]!
      if (frame.data === null) frame.data = this.applyChild(stack[i - 1]!, frame.row).data
      // Only the last frame is needed now. Frames in between were dropped because memory was short.
      if (i - 1 > from && this.pool.acquiredBytes > this.limits.memoryBytes)
        this.dropContent(stack[i - 1]!)
    }
  }

  private dropBases(stack: ChainFrame[]): void {
    for (
      let i = 0;
      i < stack.length - 1 && this.pool.acquiredBytes > this.limits.memoryBytes;
      i++
    ) {
      if (stack[i]!.row >= 0) this.dropContent(stack[i]!)
    }
  }

  private dropContent(frame: ChainFrame): void {
    if (frame.data === null) return
    this.pool.release(frame.data)
    frame.data = null
  }

  /**
   * Returns a frame with the child's content, from the delta in the pack and the base's content.
   */
  private applyChild(base: ChainFrame, row: number): ChainFrame {
    const deltaSize = this.entries.sizes[row]!
    const delta = this.pool.acquire(deltaSize + 1)
    this.inflate(row, delta, 0, deltaSize)
    const sizes = deltaSizes(delta, 0, deltaSize)
    if (sizes.base !== base.size) throw new GitError('corrupt', 'a delta does not fit its base')
    this.expandedBytes += sizes.result
    if (this.expandedBytes > MAX_EXPANSION.free + MAX_EXPANSION.times * this.packEnd)
      throw new GitError('too_large', 'the pack expands to too many bytes')
    if (sizes.result > this.limits.maxObjectBytes)
      throw new GitError('too_large', `an object has more than ${this.limits.maxObjectBytes} bytes`)
    const data = this.pool.acquire(sizes.result)
    applyDelta(
      base.data!,
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
    return { row, data, size: sizes.result, next: this.firstOfs[row]!, refs: false }
  }

  private identify(row: number, type: number, frame: ChainFrame): void {
    hashObjectInto(type, frame.data!, HASH_PREFIX_BYTES, frame.size, this.oid)
    if (type !== BLOB && frame.size > MAX_NON_BLOB_BYTES)
      throw new GitError(
        'too_large',
        `a ${typeName(type)} has more than ${MAX_NON_BLOB_BYTES} bytes`,
      )
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
