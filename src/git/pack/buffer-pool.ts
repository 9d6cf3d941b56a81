/**
 * Reusable buffers for objects that are being indexed. Sizes are powers of two, and each buffer has
 * room for an object header in front of the content.
 */
import type { MemoryBudget } from '../tasks/memory-budget.ts'
import { HASH_PREFIX_BYTES } from './object-hash.ts'

const MIN_ORDER = 12
const MAX_POOLED_BYTES = 24 << 20

/** Larger buffers are rare. Each is reserved, beside what the pool's owner has reserved. */
const MAX_UNRESERVED_BYTES = 8 << 20

export class BufferPool {
  private readonly free: Buffer[][] = []
  /** Bytes of the buffers that are acquired and not yet released. */
  acquiredBytes = 0
  private reservedBytes = 0
  private pooledBytes = 0

  constructor(private readonly memory: MemoryBudget | null = null) {}

  acquire(size: number): Buffer {
    const order = Math.max(MIN_ORDER, 32 - Math.clz32(size + HASH_PREFIX_BYTES))
    if (2 ** order > MAX_UNRESERVED_BYTES) {
      this.memory?.requireReserve(2 ** order)
      this.reservedBytes += 2 ** order
    }
    let buffer = this.free[order]?.pop()
    if (buffer === undefined) buffer = Buffer.allocUnsafeSlow(2 ** order)
    else this.pooledBytes -= buffer.length
    this.acquiredBytes += buffer.length
    return buffer
  }

  release(buffer: Buffer): void {
    this.acquiredBytes -= buffer.length
    if (buffer.length > MAX_UNRESERVED_BYTES) {
      this.memory?.release(buffer.length)
      this.reservedBytes -= buffer.length
    }
    // A dropped buffer occupies memory until the garbage collector runs. So the pool keeps it, up
    // to `MAX_POOLED_BYTES`.
    if (this.pooledBytes + buffer.length > MAX_POOLED_BYTES) return
    this.pooledBytes += buffer.length
    ;(this.free[31 - Math.clz32(buffer.length)] ??= []).push(buffer)
  }

  /** Releases the reservations of the buffers that were not released. */
  close(): void {
    this.memory?.release(this.reservedBytes)
    this.reservedBytes = 0
  }
}
