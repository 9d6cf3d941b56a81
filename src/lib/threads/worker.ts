/**
 * Worker threads. Every thread of the program is created through this file.
 *
 * - `workerUrl` locates a worker's code, in the source tree and in the compiled executable.
 * - `WorkerThread` is one thread that exchanges messages. It starts with the first message, does
 *   not keep the process alive unless told to, and is replaced after a failure. Use it for streams
 *   of messages or for a task that reports progress.
 * - `WorkerRequests` (`worker-requests.ts`) adds requests with one response each, timeouts and
 *   closing. Use it for everything else.
 */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { messageTurns } from './message-turns.ts'

/** Bun's workers can also decide whether they keep the process alive; the DOM types omit that. */
type BunWorker = Worker & { ref(): void; unref(): void }

/**
 * The URL of a worker's code by its path below `src` without extension, such as
 * `git/engine.worker`. The build merges all modules of the executable into one at its root, and
 * keeps each worker at its own path below `src`; there `import.meta.url` is the root.
 */
export function workerUrl(path: string): URL {
  const compiled = new URL(`./${path}.js`, import.meta.url)
  if (existsSync(fileURLToPath(compiled))) return compiled
  return new URL(`../../${path}.ts`, import.meta.url)
}

export type WorkerThreadOptions<Received, Sent> = {
  /** A path for `workerUrl`, or a function that returns the URL itself. */
  readonly code: string | (() => URL)
  readonly onMessage: (message: Received) => void
  /**
   * Called when the thread threw an uncaught error or ended by itself. It is gone by then; the
   * next `post` starts another.
   */
  readonly onFailure: (reason: string) => void
  /** The first message to each new thread. */
  readonly greeting?: Sent
}

const NOTHING: Transferable[] = []

export class WorkerThread<Received, Sent> {
  #worker: BunWorker | null = null
  #keepsProcessAlive = false

  constructor(private readonly options: WorkerThreadOptions<Received, Sent>) {}

  get isRunning(): boolean {
    return this.#worker !== null
  }

  /** Starts the thread now, so that the first message does not wait for it. */
  start(): void {
    this.#worker ??= this.#spawn()
  }

  /** Sends a message; starts the thread when there is none. */
  post(message: Sent, transfer: Transferable[] = NOTHING): void {
    const worker = (this.#worker ??= this.#spawn())
    worker.postMessage(message, transfer)
  }

  /** Whether the process stays alive for this thread: it should while work is under way. */
  keepProcessAlive(keep: boolean): void {
    this.#keepsProcessAlive = keep
    if (keep) this.#worker?.ref()
    else this.#worker?.unref()
  }

  /** Sends a last message, after which the thread ends itself. The next `post` starts another. */
  retire(last: Sent): void {
    const worker = this.#worker
    this.#worker = null
    worker?.postMessage(last)
  }

  /** Ends the thread at once. `onFailure` is not called. */
  terminate(): void {
    const worker = this.#worker
    this.#worker = null
    worker?.terminate()
  }

  #spawn(): BunWorker {
    const { code, greeting, onMessage, onFailure } = this.options
    const worker = new Worker(typeof code === 'string' ? workerUrl(code) : code()) as BunWorker
    const fail = (reason: string): void => {
      // An error is followed by `close`; and a thread that was terminated closes as well.
      if (this.#worker !== worker) return
      this.terminate()
      onFailure(reason)
    }
    worker.onmessage = ({ data }: MessageEvent<Received>) =>
      messageTurns.run(() => {
        if (this.#worker === worker) onMessage(data)
      })
    worker.onerror = (event) => {
      event.preventDefault()
      messageTurns.run(() => fail(event.message))
    }
    worker.addEventListener('close', () => messageTurns.run(() => fail('the thread ended')))
    if (this.#keepsProcessAlive) worker.ref()
    else worker.unref()
    if (greeting !== undefined) worker.postMessage(greeting)
    return worker
  }
}
