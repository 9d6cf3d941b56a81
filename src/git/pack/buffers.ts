/** Memory for objects on the way, used again by size: powers of two, each with room for a header in front. */
import { HASH_PREFIX } from './hash.ts'

const SMALLEST = 12

export class Buffers {
  private readonly free: Buffer[][] = []
  /** Bytes lent out now. */
  lent = 0

  take(size: number): Buffer {
    const order = Math.max(SMALLEST, 32 - Math.clz32(size + HASH_PREFIX))
    const buffer = this.free[order]?.pop() ?? Buffer.allocUnsafeSlow(2 ** order)
    this.lent += buffer.length
    return buffer
  }

  give(buffer: Buffer): void {
    this.lent -= buffer.length
    // Few large ones are kept, many small ones.
    const list = (this.free[31 - Math.clz32(buffer.length)] ??= [])
    if (list.length * buffer.length < 1 << 21) list.push(buffer)
  }
}
