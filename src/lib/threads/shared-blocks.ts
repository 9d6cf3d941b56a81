/**
 * Memory that threads share, in blocks of one size that are used again. A block that a thread
 * transfers is a new object for the one that gets it, and many of them cause collections of its
 * whole heap. Shared memory is allocated once.
 *
 * Whoever has taken a block releases it once no thread reads or writes it any more, or forgets it.
 * One that may still be read, because its thread ended meanwhile, is condemned: it is left to the
 * garbage collector, and nobody gets it again.
 */

export const SHARED_BLOCK_BYTES = 1 << 18
/** All blocks that are in use together: 128 MiB. */
export const MAX_USED_BLOCKS = 512
/** Memory that is kept for the next work, while others run and while none does. */
const MAX_SPARE_BLOCKS = 64
const MAX_SPARE_BLOCKS_AT_REST = 4

export class SharedBlocks {
  readonly #spare: SharedArrayBuffer[] = []
  readonly #used = new Set<SharedArrayBuffer>()
  /** Let go, and not released so far. */
  readonly #loose = new WeakSet<SharedArrayBuffer>()
  readonly #condemned = new WeakSet<SharedArrayBuffer>()

  constructor(private readonly maxUsed = MAX_USED_BLOCKS) {}

  /** A block whose content is arbitrary; null while too many are in use. */
  take(): SharedArrayBuffer | null {
    if (this.#used.size >= this.maxUsed) return null
    const memory = this.#spare.pop() ?? new SharedArrayBuffer(SHARED_BLOCK_BYTES)
    this.#used.add(memory)
    return memory
  }

  release(memory: SharedArrayBuffer): void {
    const isKnown = this.#used.delete(memory) || this.#loose.delete(memory)
    if (!isKnown || this.isCondemned(memory)) return
    const isResting = this.#used.size === 0
    if (isResting) this.#spare.length = Math.min(this.#spare.length, MAX_SPARE_BLOCKS_AT_REST)
    const maxSpare = isResting ? MAX_SPARE_BLOCKS_AT_REST : MAX_SPARE_BLOCKS
    if (this.#spare.length < maxSpare) this.#spare.push(memory)
  }

  /**
   * Makes room for another block, because a reader has this one who may never say that it is read:
   * its client is gone. It can still be released.
   */
  letGo(memory: SharedArrayBuffer): void {
    if (this.#used.delete(memory)) this.#loose.add(memory)
  }

  /** The block stays with somebody who uses it for something else. */
  forget(memory: SharedArrayBuffer): void {
    this.#used.delete(memory)
  }

  condemn(memory: SharedArrayBuffer): void {
    this.#condemned.add(memory)
    this.#used.delete(memory)
  }

  isCondemned(memory: SharedArrayBuffer): boolean {
    return this.#condemned.has(memory)
  }
}

/** Those of this thread, which lends them to others. */
export const sharedBlocks = new SharedBlocks()
