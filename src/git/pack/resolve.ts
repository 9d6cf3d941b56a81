/**
 * The second pass: turns the deltas of a received pack into ids. Children are taken right after
 * their base, so that a base is inflated once; what is kept on the way is bounded, and made again
 * when it had to be let go.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import { GitError } from '../ports.ts'
import { applyDelta, deltaSizes } from '../store/delta.ts'
import { makeInflater } from '../store/inflate.ts'
import type { OidMap } from '../store/oid-map.ts'
import { Buffers } from './buffers.ts'
import { BLOB, OFS_DELTA, typeName } from './entry.ts'
import { checkObject } from './fsck.ts'
import { HASH_PREFIX, hashInto } from './hash.ts'
import { MAX_META } from './limits.ts'
import type { LinkTable } from './links.ts'
import type { Rows } from './rows.ts'

/** Longest chain of deltas that a push may have; git itself writes at most 4095. */
const MAX_DEPTH = 4096
/**
 * What all deltas together may expand to: real packs stay below a hundred times their size, bombs
 * do not.
 */
const EXPANSION = { free: 4 * 1024 ** 3, times: 500 }

/** `memory` bounds what is kept of bases on the way. */
export type ResolveLimits = { readonly maxObjectBytes: number; readonly memory: number }

type Frame = {
  readonly row: number
  /** Content behind `HASH_PREFIX` bytes, or null when it was let go. */
  data: Buffer | null
  readonly size: number
  /** The next child to take: OFS children first, then REF children. */
  next: number
  refs: boolean
}

export class DeltaResolver {
  /** Deltas whose ids are known. */
  resolved = 0
  /** Bytes that deltas gave so far. */
  private made = 0
  private readonly fd: number
  private readonly inflater = makeInflater()
  private readonly buffers = new Buffers()
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
    private readonly rows: Rows,
    private readonly bases: OidMap,
    private readonly links: LinkTable,
    private readonly packEnd: number,
    private readonly limits: ResolveLimits,
    /** The whole objects whose deltas are to be resolved; all without it. */
    private readonly roots: Int32Array | null = null,
  ) {
    this.firstOfs = new Int32Array(rows.count).fill(-1)
    this.nextOf = new Int32Array(rows.count).fill(-1)
    this.firstRef = new Int32Array(bases.size).fill(-1)
    let deltas = 0
    for (let row = rows.count - 1; row >= 0; row--) {
      const link = rows.links[row]!
      if (link < 0) continue
      deltas++
      // Types are not asked where another thread may be writing them.
      if (bases.size === 0 || rows.types[row] === OFS_DELTA) {
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

  /** Resolves everything that rests on whole objects of the pack. */
  *run(): Generator<void> {
    const { rows } = this
    let before = 0
    const count = this.roots?.length ?? rows.count
    for (let i = 0; i < count; i++) {
      const row = this.roots === null ? i : this.roots[i]!
      if (rows.links[row]! >= 0) continue
      const type = rows.types[row]!
      const ref =
        this.bases.size === 0 || rows.ids[row]! < 0 ? -1 : this.refChildren(rows.ids[row]!)
      if (this.firstOfs[row]! < 0 && ref < 0) continue
      yield* this.descend(
        { row, data: null, size: rows.sizes[row]!, next: this.firstOfs[row]!, refs: false },
        type,
      )
      if (this.resolved - before > 256) {
        before = this.resolved
        yield
      }
    }
  }

  /** Resolves what rests on an object outside of the pack, given its content. */
  *runOutside(base: number, type: number, data: Uint8Array): Generator<void> {
    const first = this.firstRef[base]!
    if (first < 0) return
    this.firstRef[base] = -1
    const buffer = this.buffers.take(data.length)
    buffer.set(data, HASH_PREFIX)
    yield* this.descend({ row: -1, data: buffer, size: data.length, next: first, refs: true }, type)
  }

  /** Numbers of the base ids that still have children waiting. */
  waiting(): number[] {
    const found: number[] = []
    for (let base = 0; base < this.firstRef.length; base++)
      if (this.firstRef[base]! >= 0) found.push(base)
    return found
  }

  private refChildren(id: number): number {
    const base = this.bases.get(this.links.ids.bytes, id * 20)
    return base < 0 ? -1 : this.firstRef[base]!
  }

  private *descend(root: Frame, type: number): Generator<void> {
    const stack = [root]
    while (stack.length > 0) {
      const frame = stack[stack.length - 1]!
      if (frame.next < 0 && !frame.refs && frame.row >= 0) {
        // The children that name this object by its id come after those that name it by distance.
        frame.refs = true
        const base =
          this.bases.size === 0
            ? -1
            : this.bases.get(this.links.ids.bytes, this.rows.ids[frame.row]! * 20)
        if (base >= 0) {
          frame.next = this.firstRef[base]!
          this.firstRef[base] = -1
        }
      }
      if (frame.next < 0) {
        if (frame.data !== null) this.buffers.give(frame.data)
        stack.pop()
        continue
      }
      const child = frame.next
      frame.next = this.nextOf[child]!
      if (stack.length > MAX_DEPTH)
        throw new GitError('invalid', `the pack has a chain of more than ${MAX_DEPTH} deltas`)
      if (frame.data === null) this.restore(stack, stack.length - 1)
      const made = this.apply(frame, child)
      this.name(child, type, made)
      stack.push(made)
      if (this.buffers.lent > this.limits.memory) this.letGo(stack)
      if (++this.resolved % 512 === 0) yield
    }
  }

  /**
   * Makes the content of a frame again, from the nearest frame that still has its own, or from the
   * pack.
   */
  private restore(stack: Frame[], at: number): void {
    let from = at
    while (stack[from]!.data === null && from > 0) from--
    const lowest = stack[from]!
    if (lowest.data === null) {
      const row = lowest.row
      const buffer = this.buffers.take(lowest.size + 1)
      this.inflate(row, buffer, HASH_PREFIX, lowest.size)
      lowest.data = buffer
    }
    for (let i = from + 1; i <= at; i++) {
      const frame = stack[i]!
      if (frame.data === null) frame.data = this.apply(stack[i - 1]!, frame.row).data
      // Only the last one is needed now; what lies between was let go for want of room.
      if (i - 1 > from && this.buffers.lent > this.limits.memory) this.drop(stack[i - 1]!)
    }
  }

  private letGo(stack: Frame[]): void {
    for (let i = 0; i < stack.length - 1 && this.buffers.lent > this.limits.memory; i++) {
      if (stack[i]!.row >= 0) this.drop(stack[i]!)
    }
  }

  private drop(frame: Frame): void {
    if (frame.data === null) return
    this.buffers.give(frame.data)
    frame.data = null
  }

  /** The child's content, from the delta in the pack and the frame's content. */
  private apply(base: Frame, row: number): Frame {
    const deltaSize = this.rows.sizes[row]!
    const delta = this.buffers.take(deltaSize + 1)
    this.inflate(row, delta, 0, deltaSize)
    const sizes = deltaSizes(delta, 0, deltaSize)
    if (sizes.base !== base.size) throw new GitError('corrupt', 'a delta does not fit its base')
    this.made += sizes.result
    if (this.made > EXPANSION.free + EXPANSION.times * this.packEnd)
      throw new GitError('too_large', 'the pack expands to too many bytes')
    if (sizes.result > this.limits.maxObjectBytes)
      throw new GitError('too_large', `an object has more than ${this.limits.maxObjectBytes} bytes`)
    const data = this.buffers.take(sizes.result)
    applyDelta(
      base.data!,
      HASH_PREFIX,
      base.size,
      delta,
      sizes.start,
      deltaSize,
      data,
      HASH_PREFIX,
      sizes.result,
    )
    this.buffers.give(delta)
    return { row, data, size: sizes.result, next: this.firstOfs[row]!, refs: false }
  }

  private name(row: number, type: number, frame: Frame): void {
    hashInto(type, frame.data!, HASH_PREFIX, frame.size, this.oid)
    if (type !== BLOB && frame.size > MAX_META)
      throw new GitError('too_large', `a ${typeName(type)} has more than ${MAX_META} bytes`)
    checkObject(type, frame.data!, HASH_PREFIX, HASH_PREFIX + frame.size, this.links)
    this.rows.types[row] = type
    this.rows.ids[row] = this.links.own(this.oid, 0)
  }

  private inflate(row: number, out: Uint8Array, outFrom: number, size: number): void {
    const { offsets, heads, count } = this.rows
    const from = offsets[row]! + heads[row]!
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
