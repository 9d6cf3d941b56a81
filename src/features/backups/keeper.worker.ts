/** The thread itself: takes one task, tells how far it is, and answers. */
import { BackupError, type Tell } from '#backup'
import { tasks, type Asked, type Told } from './keeper-tasks.ts'

declare const self: {
  onmessage: ((event: MessageEvent<Asked>) => void) | null
  postMessage(told: Told): void
}

const stopping = new AbortController()
const say = (told: Told): void => self.postMessage(told)
/** Of all steps only the last in each moment is worth a message. */
const TELL_EVERY_MS = 200
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
      if (now - told < TELL_EVERY_MS && progress.files_done < progress.files_total) return
      told = now
      say({ progress })
    },
    stopping.signal,
  ).then(
    (done) => say({ done }),
    (error: unknown) =>
      say({
        failed: error instanceof Error ? error.message : String(error),
        person: error instanceof BackupError,
      }),
  )
}
