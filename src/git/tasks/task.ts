/**
 * Long work as generators: they give blocks of output, ask for input, or pause so that other work
 * of the thread gets its turn. The same tasks run in workers and, with `workers: 0`, on the calling
 * thread.
 */

/**
 * What a task yields: a block of output, the wish for input, a pause, or that it waits for an
 * answer (`Help`).
 */
export type Step = Uint8Array | 'input' | 'pause' | 'wait'

/** A task's `next` takes what it asked for: a block of input, or null at its end. */
export type Task<R> = Generator<Step, R, Uint8Array | null | undefined>

/** Work that another thread does for a task. */
export type Asked<R> = { settled: boolean; value: R | null; error: Error | null }

/** What a task may ask of the other threads. */
export interface Help {
  /** How many threads there are besides this one. */
  readonly others: number
  /** Starts a task on another thread; look at `settled`, and yield 'wait' until it is. */
  ask<R>(name: string, args: unknown): Asked<R>
}
