/**
 * Memory for objects on the way, used again by size: powers of two, each with room for a header in
 * front.
 */
import { HASH_PREFIX } from './hash.ts'

const SMALLEST = 12
const MAX_KEPT = 24 << 20

export class Buffers {
  private readonly free: Buffer[][] = []
  /** Bytes lent out now. */
  lent = 0
  private kept = 0

  take(size: number): Buffer {
    const order = Math.max(SMALLEST, 32 - Math.clz32(size + HASH_PREFIX))
    let buffer = this.free[order]?.pop()
    if (buffer === undefined) buffer = Buffer.allocUnsafeSlow(2 ** order)
    else this.kept -= buffer.length
    this.lent += buffer.length
    return buffer
  }

  give(buffer: Buffer): void {
    this.lent -= buffer.length
    // What is dropped here lies about until the collector runs: it is better kept, within bounds.
    if (this.kept + buffer.length > MAX_KEPT) return
    this.kept += buffer.length
    ;(this.free[31 - Math.clz32(buffer.length)] ??= []).push(buffer)
  }
}
