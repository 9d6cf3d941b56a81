/**
 * Long work as generators: they give blocks of output, ask for input, or pause so that other work of the thread gets
 * its turn. The same tasks run in workers and, with `workers: 0`, on the calling thread.
 */
import { GitError } from '../ports.ts'

/** What a task yields: a block of output, the wish for input, or nothing but a pause. */
export type Step = Uint8Array | 'input' | 'pause'

/** A task's `next` takes what it asked for: a block of input, or null at its end. */
export type Task<R> = Generator<Step, R, Uint8Array | null | undefined>

/** Runs a task that wants no input to its end at once; its output is collected. */
export function runToEnd<R>(task: Task<R>): { value: R; output: Uint8Array[] } {
  const output: Uint8Array[] = []
  for (;;) {
    const step = task.next()
    if (step.done) return { value: step.value, output }
    if (step.value === 'input') throw new GitError('invalid', 'the task wants input')
    if (step.value !== 'pause') output.push(step.value)
  }
}
