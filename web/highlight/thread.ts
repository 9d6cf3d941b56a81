// The thread that highlights large files. The first file starts it, and it does not keep the
// process alive.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Grammar } from './languages.ts'

export type HighlightQuestion = {
  readonly id: number
  readonly text: string
  readonly grammar: Grammar
}
export type HighlightAnswer = { readonly id: number; readonly lines: string[] }

/** The workers of the runtime, which can also be told not to keep the process alive. */
type CountedWorker = Worker & { ref(): void; unref(): void }

/** The file of the worker: in the source tree, or beside this module in a compiled executable. */
function workerUrl(): URL {
  const source = new URL('../../src/highlight.worker.ts', import.meta.url)
  return existsSync(fileURLToPath(source))
    ? source
    : new URL('./highlight.worker.js', import.meta.url)
}

/** At most this many texts wait; further ones are shown plain. */
const MAX_WAITING = 32

export class HighlightThread {
  #worker: CountedWorker | null = null
  #next = 1
  readonly #waiting = new Map<number, (lines: string[] | null) => void>()

  constructor(private readonly url: () => URL = workerUrl) {}

  /** The highlighted lines; null when too many texts wait or the thread failed. */
  ask(text: string, grammar: Grammar): Promise<string[] | null> {
    if (this.#waiting.size >= MAX_WAITING) return Promise.resolve(null)
    return new Promise((resolve) => {
      const id = this.#next++
      const worker = (this.#worker ??= this.#start())
      this.#waiting.set(id, resolve)
      worker.ref()
      worker.postMessage({ id, text, grammar } satisfies HighlightQuestion)
    })
  }

  #start(): CountedWorker {
    const worker = new Worker(this.url()) as CountedWorker
    worker.onmessage = ({ data }: MessageEvent<HighlightAnswer>) => {
      this.#waiting.get(data.id)?.(data.lines)
      this.#waiting.delete(data.id)
      if (this.#waiting.size === 0) worker.unref()
    }
    const fail = () => {
      if (this.#worker !== worker) return
      this.#worker = null
      worker.terminate()
      for (const resolve of this.#waiting.values()) resolve(null)
      this.#waiting.clear()
    }
    worker.onerror = (event) => {
      event.preventDefault()
      fail()
    }
    worker.addEventListener('close', fail)
    worker.unref()
    return worker
  }
}
