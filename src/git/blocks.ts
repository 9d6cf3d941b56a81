/**
 * Memory of blocks that pass through. The collector takes it back in its own time, which is late where much lives: a thread that holds
 * a hundred megabytes lets as much go to waste before it looks.
 */

/** Bytes that may go to waste before the collector is asked to look. */
const MOST_WASTE = 32 << 20

let waste = 0

/** Gives back a block that nobody reads any more, at once. It must be the only view of its buffer. */
export function giveBack(block: Uint8Array): void {
  ;(block.buffer as ArrayBuffer).transfer(0)
}

/** Notes that blocks were handed to somebody who drops them when they are sent. */
export function noteWaste(bytes: number): void {
  waste += bytes
  if (waste < MOST_WASTE) return
  waste = 0
  Bun.gc(false)
}
