/**
 * Long work as generators. A task yields blocks of output, requests for input, or pauses that let
 * other tasks of the thread run. The same tasks run in workers and, with `workers: 0`, on the
 * calling thread.
 */

import type { BorrowedBlocks } from './lent-blocks.ts'

/**
 * What a task yields: a block of output, a request for input, a pause, a wait for a delegated task,
 * or a longer pause before it tries again to get what other tasks hold.
 */
export type TaskStep = Uint8Array | 'input' | 'pause' | 'wait' | 'retry'

/** A task. `next` passes the requested input: a block, or null at its end. */
export type Task<R> = Generator<TaskStep, R, Uint8Array | null | undefined>

/** A task that another thread runs, and its result. */
export type DelegatedTask<R> = { settled: boolean; value: R | null; error: Error | null }

/** Delegates work to other threads, and has memory for output. */
export interface TaskHelpers {
  /** Memory for blocks of output. */
  readonly blocks: BorrowedBlocks
  /** Number of other threads. */
  readonly otherThreads: number
  /** Starts a task on another thread. The caller yields 'wait' until `settled` is true. */
  delegate<R>(name: string, args: unknown): DelegatedTask<R>
}
