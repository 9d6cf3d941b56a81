/**
 * Reusable buffers for objects that are being indexed. Sizes are powers of two, and each buffer has
 * room for an object header in front of the content.
 */
import type { MemoryBudget } from '../tasks/memory-budget.ts'
import { HASH_PREFIX_BYTES } from './object-hash.ts'

const MIN_ORDER = 12
const MAX_POOLED_BYTES = 24 << 20

/**
 * Larger buffers are rare, and hold trees or deltas of trees, because larger blobs are streamed
 * (`large-content.ts`). They are no longer than their content.
 */
const MAX_ROUNDED_BYTES = 8 << 20
const LARGE_UNIT_BYTES = 1 << 20

export class BufferPool {
  private readonly free: Buffer[][] = []
  /** Bytes of the buffers that are acquired and not yet released. */
  acquiredBytes = 0
  /** Bytes that are counted in the budget because they exceed what the owner has reserved. */
  private countedBytes = 0
  private pooledBytes = 0

  constructor(
    private readonly memory: MemoryBudget | null = null,
    /** What the owner of the pool has reserved for its buffers. */
    private readonly reservedBytes = 0,
  ) {}

  acquire(size: number): Buffer {
    const bytes = size + HASH_PREFIX_BYTES
    const order = Math.max(MIN_ORDER, 32 - Math.clz32(bytes))
    const isLarge = 2 ** order > MAX_ROUNDED_BYTES
    let buffer = isLarge ? undefined : this.free[order]?.pop()
    if (buffer === undefined)
      buffer = Buffer.allocUnsafeSlow(
        isLarge ? Math.ceil(bytes / LARGE_UNIT_BYTES) * LARGE_UNIT_BYTES : 2 ** order,
      )
    else this.pooledBytes -= buffer.length
    this.acquiredBytes += buffer.length
    if (isLarge) this.countExcess()
    return buffer
  }

  release(buffer: Buffer): void {
    this.acquiredBytes -= buffer.length
    if (buffer.length > MAX_ROUNDED_BYTES) return this.countExcess()
    // A dropped buffer occupies memory until the garbage collector runs. So the pool keeps it, up
    // to `MAX_POOLED_BYTES`.
    if (this.pooledBytes + buffer.length > MAX_POOLED_BYTES) return
    this.pooledBytes += buffer.length
    ;(this.free[31 - Math.clz32(buffer.length)] ??= []).push(buffer)
  }

  /** Counts what exceeds the reservation, so that other work waits for it. */
  private countExcess(): void {
    const bytes = Math.max(0, this.acquiredBytes - this.reservedBytes)
    const excess = Math.ceil(bytes / LARGE_UNIT_BYTES) * LARGE_UNIT_BYTES
    if (excess > this.countedBytes) this.memory?.add(excess - this.countedBytes)
    else this.memory?.release(this.countedBytes - excess)
    this.countedBytes = excess
  }

  /** Ends the counting of the buffers that were not released. */
  close(): void {
    this.memory?.release(this.countedBytes)
    this.countedBytes = 0
  }
}
