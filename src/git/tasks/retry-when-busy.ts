/**
 * Reads that need memory for large objects fail with `busy` when other work holds it. They have
 * changed nothing and hold nothing then, so they begin again.
 */
import { GitError } from '../ports.ts'
import type { Task } from './task.ts'

/** Half a minute; users' reads have an earlier deadline, at which they are cancelled. */
const MAX_TRIES = 100
/** Waits get longer, and differ, so that two reads that hinder each other do not go on to. */
const MAX_WAITS = 16

const isBusy = (error: unknown): boolean => error instanceof GitError && error.code === 'busy'

function* waitAfter(tries: number): Task<void> {
  const waits = 1 + Math.floor(Math.random() * Math.min(MAX_WAITS, tries * 2))
  for (let i = 0; i < waits; i++) yield 'retry'
}

/** Runs a task to its end, again from its beginning when it was busy. */
export function* retryWhenBusy<R>(begin: () => Task<R>): Task<R> {
  for (let tries = 1; ; tries++) {
    try {
      return yield* begin()
    } catch (error) {
      if (!isBusy(error) || tries === MAX_TRIES) throw error
    }
    yield* waitAfter(tries)
  }
}

/** The value at once, or a task when there is no memory for it now. */
export function whenMemoryIsFree<R>(
  answer: () => R,
): { readonly value: R } | { readonly task: Task<R> } {
  try {
    return { value: answer() }
  } catch (error) {
    if (!isBusy(error)) throw error
  }
  return {
    task: retryWhenBusy(function* () {
      yield 'retry'
      return answer()
    }),
  }
}
