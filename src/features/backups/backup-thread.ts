/** Runs long backup tasks on a thread of their own, one thread for each task. */
import { BackupError, type Tell } from '#backup'
import { WorkerThread } from '#lib/threads/worker.ts'
import type { ThreadRequest, Tasks, ThreadResponse } from './backup-tasks.ts'

/** Runs one task. Throws BackupError like the task, and the signal's reason when it is aborted. */
export function runOnThread<K extends keyof Tasks>(
  kind: K,
  input: Tasks[K]['input'],
  tell: Tell = () => {},
  signal: AbortSignal | null = null,
): Promise<Tasks[K]['output']> {
  signal?.throwIfAborted()
  return new Promise<Tasks[K]['output']>((resolve, reject) => {
    const thread = new WorkerThread<ThreadResponse, ThreadRequest>({
      code: 'features/backups/backup.worker',
      onMessage: (message) => {
        if ('progress' in message) tell(message.progress)
        else if ('done' in message) end(() => resolve(message.done as Tasks[K]['output']))
        else if (signal?.aborted) end(() => reject(signal.reason))
        else if (message.person) end(() => reject(new BackupError(message.failed)))
        else end(() => reject(new Error(message.failed)))
      },
      onFailure: (reason) => end(() => reject(new Error(reason))),
    })
    const stop = () => thread.post({ stop: true })
    const end = (settle: () => void) => {
      signal?.removeEventListener('abort', stop)
      thread.terminate()
      settle()
    }
    signal?.addEventListener('abort', stop, { once: true })
    thread.keepProcessAlive(true)
    thread.post({ kind, input })
  })
}
