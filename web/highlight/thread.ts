// The thread that colours large files. It is started when the first one comes, and keeps no process
// alive.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Grammar } from './languages.ts'

export type HighlightQuestion = {
  readonly id: number
  readonly text: string
  readonly grammar: Grammar
}
export type HighlightAnswer = { readonly id: number; readonly lines: string[] }

/** The types know browsers' workers; these also keep a process alive, or not. */
type CountedWorker = Worker & { ref(): void; unref(): void }

/** A worker's file: in the source tree, or at its own path below `src` in a compiled executable. */
function workerUrl(): URL {
  const source = new URL('../../src/highlight.worker.ts', import.meta.url)
  return existsSync(fileURLToPath(source))
    ? source
    : new URL('./highlight.worker.js', import.meta.url)
}

/** So many texts wait at most; a page beyond that is shown plain. */
const MOST_WAITING = 32

export class HighlightThread {
  #worker: CountedWorker | null = null
  #next = 1
  readonly #asked = new Map<number, (lines: string[] | null) => void>()

  constructor(private readonly url: () => URL = workerUrl) {}

  /** The coloured lines; null when the thread is busy with too much or fell over. */
  ask(text: string, grammar: Grammar): Promise<string[] | null> {
    if (this.#asked.size >= MOST_WAITING) return Promise.resolve(null)
    return new Promise((resolve) => {
      const id = this.#next++
      const worker = (this.#worker ??= this.#start())
      this.#asked.set(id, resolve)
      worker.ref()
      worker.postMessage({ id, text, grammar } satisfies HighlightQuestion)
    })
  }

  #start(): CountedWorker {
    const worker = new Worker(this.url()) as CountedWorker
    worker.onmessage = ({ data }: MessageEvent<HighlightAnswer>) => {
      this.#asked.get(data.id)?.(data.lines)
      this.#asked.delete(data.id)
      if (this.#asked.size === 0) worker.unref()
    }
    const fell = () => {
      if (this.#worker !== worker) return
      this.#worker = null
      worker.terminate()
      for (const resolve of this.#asked.values()) resolve(null)
      this.#asked.clear()
    }
    worker.onerror = (event) => {
      event.preventDefault()
      fell()
    }
    worker.addEventListener('close', fell)
    worker.unref()
    return worker
  }
}
