/**
 * The write-ahead log of the database, from outside of SQLite: it is brought to the disk, and taken
 * over into the database file, on other threads than the one that answers. A sync takes some
 * milliseconds, a take-over some ten; the event loop waits for neither.
 *
 * With `synchronous=NORMAL` SQLite writes a commit into the log and does not sync it
 * (https://www.sqlite.org/pragma.html#pragma_synchronous). Whoever promises a commit syncs the log
 * first (`sync`), so nothing is promised that a power cut could take; what is committed and not yet
 * synced may be read in this process for that moment. The order of log and database file in a
 * take-over is SQLite's own care.
 */
import { closeSync, existsSync, fdatasync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { syncDirectorySync } from '#lib/disk.ts'

export class WalFile {
  #file: number | null = null

  constructor(private readonly database: string) {}

  /**
   * Opened when there is something in it. Its name must be on disk too, which SQLite sees to only
   * when it syncs itself.
   */
  #open(): number {
    if (this.#file !== null) return this.#file
    const file = openSync(`${this.database}-wal`, 'r+')
    try {
      syncDirectorySync(dirname(this.database))
    } catch (error) {
      closeSync(file)
      throw error
    }
    return (this.#file = file)
  }

  /** Resolves when all that was committed before is on disk. */
  sync(): Promise<void> {
    return new Promise((resolve, reject) => {
      try {
        fdatasync(this.#open(), (error) => (error ? reject(error) : resolve()))
      } catch (error) {
        reject(error as Error)
      }
    })
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file)
    this.#file = null
  }
}

export type CheckpointAsked = { readonly path: string }
export type CheckpointTold = { readonly error: string | null }

/** The types know browsers' workers; these also keep a process alive, or not. */
type CountedWorker = Worker & { ref(): void; unref(): void }

/**
 * A worker's file: beside this one in the source tree, at its own path below `src` in a compiled
 * executable.
 */
function workerUrl(): URL {
  const source = new URL('./checkpoint.worker.ts', import.meta.url)
  return existsSync(fileURLToPath(source))
    ? source
    : new URL('./core/checkpoint.worker.js', import.meta.url)
}

/**
 * Takes the log over into the database file on a thread, which begins when there is first something
 * to do.
 */
export class Checkpoints {
  #worker: CountedWorker | null = null
  #running: PromiseWithResolvers<string | null> | null = null
  #ended = false

  constructor(private readonly path: string) {}

  get running(): boolean {
    return this.#running !== null
  }

  /** Begins one unless one is under way. Resolves with what went wrong, null when nothing did. */
  run(): Promise<string | null> {
    if (this.#ended) return Promise.resolve('it has ended')
    if (this.#running) return this.#running.promise
    const running = (this.#running = Promise.withResolvers<string | null>())
    this.#worker ??= this.#start()
    this.#worker.ref()
    this.#worker.postMessage({ path: this.path } satisfies CheckpointAsked)
    return running.promise
  }

  /** Waits for the one that is under way, and ends the thread. */
  async close(): Promise<void> {
    await this.#running?.promise
    this.#ended = true
    this.#worker?.terminate()
    this.#worker = null
  }

  #start(): CountedWorker {
    const worker = new Worker(workerUrl()) as CountedWorker
    worker.onmessage = ({ data }: MessageEvent<CheckpointTold>) => this.#done(data.error)
    worker.onerror = (event) => {
      event.preventDefault()
      this.#worker = null
      worker.terminate()
      this.#done(event.message)
    }
    worker.unref()
    return worker
  }

  #done(error: string | null): void {
    const running = this.#running
    this.#running = null
    this.#worker?.unref()
    running?.resolve(error)
  }
}
