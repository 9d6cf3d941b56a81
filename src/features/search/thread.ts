/**
 * One thread of the search, seen from the forge: asked for values, watched, and made anew when it
 * falls over.
 */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Answered, Asked, Opening } from './search.worker.ts'

/** The types know browsers' workers; these also keep a process alive, or not. */
type CountedWorker = Worker & { ref(): void; unref(): void }

/**
 * A worker's file: beside this one in the source tree, at its own path below `src` in a compiled
 * executable.
 */
function workerUrl(): URL {
  const source = new URL('./search.worker.ts', import.meta.url)
  return existsSync(fileURLToPath(source))
    ? source
    : new URL('./features/search/search.worker.js', import.meta.url)
}

/** It did not answer in time, or ended before it did. */
export class ThreadEnded extends Error {}

type Waiting = {
  resolve(value: unknown): void
  reject(error: Error): void
  timer: ReturnType<typeof setTimeout> | null
}

type AnyFunction = (db: never, ...args: never[]) => unknown
type Tail<F extends AnyFunction> = Parameters<F> extends [unknown, ...infer R] ? R : never

export class SearchThread<Able extends Readonly<Record<string, AnyFunction>>> {
  #worker: CountedWorker | null = null
  #waiting = new Map<number, Waiting>()
  #next = 1
  #closed = false

  constructor(private readonly opening: Opening) {}

  get load(): number {
    return this.#waiting.size
  }

  /**
   * Asks for one thing. Gives ThreadEnded when it is not answered within `patience` milliseconds;
   * the thread is ended then.
   */
  call<K extends keyof Able & string>(
    name: K,
    args: Tail<Able[K]>,
    options: { patience?: number } = {},
  ): Promise<ReturnType<Able[K]>> {
    if (this.#closed) return Promise.reject(new ThreadEnded('the search is closed'))
    if (!this.#worker) this.#start()
    return this.#ask({ name, args: args as readonly unknown[] }, options) as Promise<
      ReturnType<Able[K]>
    >
  }

  #ask(
    message: Omit<Asked, 'id'> & { opening?: Opening },
    { patience }: { patience?: number } = {},
  ): Promise<unknown> {
    const worker = this.#worker
    if (!worker) return Promise.reject(new ThreadEnded('the search is closed'))
    const id = this.#next++
    return new Promise((resolve, reject) => {
      const timer =
        patience === undefined
          ? null
          : setTimeout(() => this.#fall('a thread of the search did not answer in time'), patience)
      this.#waiting.set(id, { resolve, reject, timer })
      worker.ref()
      worker.postMessage({ ...message, id })
    })
  }

  #start(): void {
    const worker = new Worker(workerUrl()) as CountedWorker
    this.#worker = worker
    worker.onmessage = ({ data }: MessageEvent<Answered>) => {
      if (this.#worker !== worker) return
      const waiting = this.#waiting.get(data.id)
      this.#waiting.delete(data.id)
      if (this.#waiting.size === 0) worker.unref()
      if (!waiting) return
      if (waiting.timer) clearTimeout(waiting.timer)
      if ('error' in data) waiting.reject(new Error(data.error))
      else waiting.resolve(data.value)
    }
    worker.onerror = (event) => {
      event.preventDefault()
      if (this.#worker === worker) this.#fall(event.message)
    }
    this.#ask({ name: '', args: [], opening: this.opening }).catch((error: unknown) => {
      if (this.#worker === worker && !(error instanceof ThreadEnded))
        this.#fall(error instanceof Error ? error.message : String(error))
    })
  }

  /** Ends the thread; the next call starts another. */
  #fall(reason: string): void {
    this.#worker?.terminate()
    this.#worker = null
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const { reject, timer } of waiting) {
      if (timer) clearTimeout(timer)
      reject(new ThreadEnded(reason))
    }
  }

  /** Closes the file after what runs now, and ends the thread. */
  async close(): Promise<void> {
    const worker = this.#worker
    if (this.#closed) return
    this.#closed = true
    if (!worker) return
    await this.#ask({ name: 'close', args: [] }, { patience: 5_000 }).catch(() => {})
    worker.terminate()
    this.#fall('the search is closed')
  }
}
