/**
 * Runs a task whose output is a response, with a permit for heavy work. Blocks are sent as fast as
 * the reader takes them.
 */
import type { ThreadPool } from '../tasks/thread-pool.ts'
import type { ResponseSink } from './response-stream.ts'

export type TaskContext = {
  readonly threads: ThreadPool
  /** Waits for a permit for heavy work; the returned function releases it. */
  readonly acquire: (signal?: AbortSignal) => Promise<() => void>
}

/** A reader that takes no block for this long is slow. */
const SLOW_READER_MS = 1_000

export async function pipeTask<R = void>(
  context: TaskContext,
  name: string,
  args: unknown,
  sink: ResponseSink,
  signal?: AbortSignal,
): Promise<R> {
  const release = await context.acquire(signal)
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
      // A slow reader causes no work, so it continues without its permit, which goes to others.
      if (open) waiting ??= setTimeout(release, SLOW_READER_MS)
    })
    sink.onCancel(() => handle.cancel())
    return await handle.result
  } finally {
    if (waiting !== null) clearTimeout(waiting)
    release()
  }
}
