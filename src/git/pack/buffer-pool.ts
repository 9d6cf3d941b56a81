/**
 * Reusable buffers for objects that are being indexed. Sizes are powers of two, and each buffer has
 * room for an object header in front of the content.
 */
import { HASH_PREFIX_BYTES } from './object-hash.ts'

const MIN_ORDER = 12
const MAX_POOLED_BYTES = 24 << 20

export class BufferPool {
  private readonly free: Buffer[][] = []
  /** Bytes of the buffers that are acquired and not yet released. */
  acquiredBytes = 0
  private pooledBytes = 0

  acquire(size: number): Buffer {
    const order = Math.max(MIN_ORDER, 32 - Math.clz32(size + HASH_PREFIX_BYTES))
    let buffer = this.free[order]?.pop()
    if (buffer === undefined) buffer = Buffer.allocUnsafeSlow(2 ** order)
    else this.pooledBytes -= buffer.length
    this.acquiredBytes += buffer.length
    return buffer
  }

  release(buffer: Buffer): void {
    this.acquiredBytes -= buffer.length
    // A dropped buffer occupies memory until the garbage collector runs. So the pool keeps it, up
    // to `MAX_POOLED_BYTES`.
    if (this.pooledBytes + buffer.length > MAX_POOLED_BYTES) return
    this.pooledBytes += buffer.length
    ;(this.free[31 - Math.clz32(buffer.length)] ??= []).push(buffer)
  }
}
