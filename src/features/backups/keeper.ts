/**
 * The long work of backups on a thread of its own, so that the forge answers meanwhile. One thread
 * for each task, ended with it.
 */
import { BackupError, type Tell } from '#backup'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Asked, Tasks, Told } from './keeper-tasks.ts'

/**
 * A worker's file: beside this one in the source tree, at its own path below `src` in a compiled
 * executable.
 */
function workerUrl(): URL {
  const source = new URL('./keeper.worker.ts', import.meta.url)
  return existsSync(fileURLToPath(source))
    ? source
    : new URL('./features/backups/keeper.worker.js', import.meta.url)
}

/** Runs one task. Gives BackupError as the task does, and the signal's reason when it ends. */
export function onThread<K extends keyof Tasks>(
  kind: K,
  input: Tasks[K]['input'],
  tell: Tell = () => {},
  signal: AbortSignal | null = null,
): Promise<Tasks[K]['output']> {
  signal?.throwIfAborted()
  const worker = new Worker(workerUrl())
  return new Promise<Tasks[K]['output']>((resolve, reject) => {
    const stop = () => worker.postMessage({ stop: true } satisfies Asked)
    const end = (run: () => void) => {
      signal?.removeEventListener('abort', stop)
      worker.terminate()
      run()
    }
    signal?.addEventListener('abort', stop, { once: true })
    worker.onmessage = ({ data }: MessageEvent<Told>) => {
      if ('progress' in data) tell(data.progress)
      else if ('done' in data) end(() => resolve(data.done as Tasks[K]['output']))
      else if (signal?.aborted) end(() => reject(signal.reason))
      else end(() => reject(data.person ? new BackupError(data.failed) : new Error(data.failed)))
    }
    worker.onerror = ({ message }) => end(() => reject(new Error(message)))
    worker.postMessage({ kind, input } as Asked)
  })
}
