/**
 * Runs a task whose output is an answer: one place among the heavy operations, blocks as fast as
 * the reader takes them.
 */
import type { Threads } from '../tasks/threads.ts'
import type { AnswerSink } from './answer-stream.ts'

export type TaskContext = {
  readonly threads: Threads
  /** Waits for a place among the heavy operations; the function that it gives frees the place. */
  readonly enter: (signal?: AbortSignal) => Promise<() => void>
}

/** Milliseconds after which a reader that takes nothing counts as slow. */
const SLOW = 1_000

export async function pipeTask<R = void>(
  context: TaskContext,
  name: string,
  args: unknown,
  sink: AnswerSink,
  signal?: AbortSignal,
): Promise<R> {
  const leave = await context.enter(signal)
  let waiting: ReturnType<typeof setTimeout> | null = null
  try {
    const handle = context.threads.start<R>(name, args, (chunk, taken) => {
      let open = true
      sink.put(chunk, () => {
        open = false
        if (waiting !== null) clearTimeout(waiting)
        waiting = null
        taken()
      })
      // A reader that takes its time costs no work meanwhile: its place goes to others, and it goes
      // on without one.
      if (open) waiting ??= setTimeout(leave, SLOW)
    })
    sink.onCancel(() => handle.cancel())
    return await handle.result
  } finally {
    if (waiting !== null) clearTimeout(waiting)
    leave()
  }
}
