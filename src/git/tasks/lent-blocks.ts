/**
 * Memory for large blocks of output, which the event loop lends to tasks (`lib/threads/shared-blocks.ts`).
 * A block is with one side at a time: the task may write into it from when it gets it until it sends
 * it as output, and never while a reader has it.
 */
import { SHARED_BLOCK_BYTES } from '#lib/threads/shared-blocks.ts'

/** Two wait for the client, and the task fills others meanwhile. */
export const MAX_BLOCKS_OF_TASK = 5

/** A block that a task may fill. `memory` is sent once. */
export type LentBlock = { readonly block: number; readonly memory: SharedArrayBuffer | null }

/** What one task has borrowed, on its thread. */
export class BorrowedBlocks {
  readonly #blocks = new Map<number, Buffer>()
  readonly #spare: number[] = []
  /** Whether the task could use blocks: its output is large. */
  areWanted = false

  /** Memory for a block, which is borrowed if possible. Responses of a few blocks have smaller ones. */
  readonly allocate = (bytes: number): Buffer => {
    this.areWanted ||= bytes === SHARED_BLOCK_BYTES
    const block = bytes === SHARED_BLOCK_BYTES ? this.#spare.pop() : undefined
    const borrowed = block === undefined ? undefined : this.#blocks.get(block)
    return borrowed ?? Buffer.allocUnsafeSlow(bytes)
  }

  add({ block, memory }: LentBlock): void {
    if (memory !== null) this.#blocks.set(block, Buffer.from(memory))
    this.#spare.push(block)
  }

  /** The borrowed block that begins with these bytes; null when their memory is the task's own. */
  numberOf({ buffer }: Uint8Array): number | null {
    for (const [number, block] of this.#blocks) if (block.buffer === buffer) return number
    return null
  }
}
