/** Collects the garbage of a thread before its heap has grown far. */
import { heapSize } from 'bun:jsc'

/**
 * Growth of a thread's heap after which its garbage is collected: about 20 ms of processor time. By
 * itself the collector waits longer, since it does not know of the other threads.
 */
const MAX_HEAP_GROWTH_BYTES = 32 << 20
/** The same for large heaps, as a share of what was left after the last collection. */
const MAX_HEAP_GROWTH_SHARE = 1 / 4
/** A thread looks at its heap, which takes 0.2 ms, after so much work. */
const HEAP_CHECK_MS = 20

/**
 * Returns a function that a thread calls after work, with the milliseconds that it took. The size
 * of the heap says nothing of small objects that were allocated since the last collection.
 * `maxWorkMs` limits the work between two collections for a thread that allocates many.
 */
export function garbageCollector(maxWorkMs = Infinity): (workedMs: number) => void {
  let startBytes = heapSize()
  let uncheckedMs = 0
  let workMs = 0
  return (workedMs) => {
    uncheckedMs += workedMs
    workMs += workedMs
    if (uncheckedMs < HEAP_CHECK_MS) return
    uncheckedMs = 0
    const bytes = heapSize()
    startBytes = Math.min(startBytes, bytes)
    const maxGrowth = Math.max(MAX_HEAP_GROWTH_BYTES, startBytes * MAX_HEAP_GROWTH_SHARE)
    if (bytes - startBytes < maxGrowth && workMs < maxWorkMs) return
    Bun.gc(true)
    startBytes = heapSize()
    workMs = 0
  }
}
