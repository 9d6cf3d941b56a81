/**
 * Memory that the tasks of all threads hold, in bytes that are counted where they are reserved. The
 * counters are shared, so the limit holds for the process. A thread that fails loses its
 * reservations through `reclaim`.
 */
import { GitError } from '../ports.ts'
import type { Task } from './task.ts'

/** Counters: the total, then one for each thread. */
export type MemoryCells = Int32Array

const UNIT_BYTES = 1 << 10
const unitsOf = (bytes: number): number => Math.ceil(bytes / UNIT_BYTES)

/** Reservations up to this size never wait, so that small pushes pass large ones. */
const MAX_UNLIMITED_BYTES = 1 << 20

export const createMemoryCells = (threads: number): MemoryCells =>
  new Int32Array(new SharedArrayBuffer((threads + 1) * Int32Array.BYTES_PER_ELEMENT))

export class MemoryBudget {
  constructor(
    private readonly cells: MemoryCells,
    /** The limit of all threads together. */
    readonly limitBytes: number,
    /** Number of this thread, from 0. */
    private readonly thread: number,
  ) {}

  /** Bytes that all threads have reserved. */
  get usedBytes(): number {
    return Atomics.load(this.cells, 0) * UNIT_BYTES
  }

  tryReserve(bytes: number): boolean {
    const units = unitsOf(bytes)
    const limit = unitsOf(this.limitBytes)
    for (;;) {
      const used = Atomics.load(this.cells, 0)
      if (bytes > MAX_UNLIMITED_BYTES && used + units > limit) return false
      if (Atomics.compareExchange(this.cells, 0, used, used + units) !== used) continue
      Atomics.add(this.cells, this.thread + 1, units)
      return true
    }
  }

  /** Counts memory whatever others hold, so that they wait for it. */
  add(bytes: number): void {
    Atomics.add(this.cells, 0, unitsOf(bytes))
    Atomics.add(this.cells, this.thread + 1, unitsOf(bytes))
  }

  /**
   * Throws GitError `busy` when other work holds the memory, and `too_large` when the limit does not
   * allow so much at all.
   */
  requireReserve(bytes: number): void {
    if (bytes > Math.max(this.limitBytes, MAX_UNLIMITED_BYTES))
      throw new GitError('too_large', `this needs ${bytes} bytes of memory at once`)
    if (!this.tryReserve(bytes))
      throw new GitError('busy', 'too much memory is in use now; try again in a moment')
  }

  /**
   * Waits for memory. More than the limit is never reserved. Returns the reserved bytes. A task
   * holds no other reservation while it waits, so tasks cannot wait for each other.
   */
  *reserve(bytes: number): Task<number> {
    const wanted = Math.min(bytes, this.limitBytes)
    while (!this.tryReserve(wanted)) yield 'retry'
    return wanted
  }

  /** Releases all but `bytes` of a reservation. Returns what is still reserved. */
  keep(reservedBytes: number, bytes: number): number {
    const kept = Math.min(unitsOf(reservedBytes), unitsOf(bytes)) * UNIT_BYTES
    this.release(unitsOf(reservedBytes) * UNIT_BYTES - kept)
    return kept
  }

  release(bytes: number): void {
    const units = unitsOf(bytes)
    Atomics.sub(this.cells, 0, units)
    Atomics.sub(this.cells, this.thread + 1, units)
  }
}

/** Releases what a thread had reserved when it failed. */
export function reclaimThread(cells: MemoryCells, thread: number): void {
  Atomics.sub(cells, 0, Atomics.exchange(cells, thread + 1, 0))
}
