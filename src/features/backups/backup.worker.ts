/** The backup thread: runs one task, reports progress and responds with the result. */
import { BackupError, type Tell } from '#backup'
import { tasks, type ThreadRequest, type ThreadResponse } from './backup-tasks.ts'

declare const self: {
  onmessage: ((event: MessageEvent<ThreadRequest>) => void) | null
  postMessage(told: ThreadResponse): void
}

const stopping = new AbortController()
const respond = (told: ThreadResponse): void => self.postMessage(told)
/** Progress is reported at most this often. */
const PROGRESS_INTERVAL_MS = 200
let told = 0

self.onmessage = ({ data }) => {
  if ('stop' in data) return stopping.abort()
  const run = tasks[data.kind] as (
    input: unknown,
    tell: Tell,
    signal: AbortSignal,
  ) => Promise<unknown>
  run(
    data.input,
    (progress) => {
      const now = performance.now()
      if (now - told < PROGRESS_INTERVAL_MS && progress.files_done < progress.files_total) return
      told = now
      respond({ progress })
    },
    stopping.signal,
  ).then(
    (done) => respond({ done }),
    (error: unknown) =>
      respond({
        failed: error instanceof Error ? error.message : String(error),
        person: error instanceof BackupError,
      }),
  )
}
