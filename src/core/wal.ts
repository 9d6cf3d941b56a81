/**
 * The write-ahead log (WAL) of the database: its syncs and checkpoints run on other threads. A sync
 * takes about 2 ms and a checkpoint about 10 ms, and the event loop waits for neither.
 *
 * With `synchronous=NORMAL` SQLite writes a commit into the log without a sync
 * (https://www.sqlite.org/pragma.html#pragma_synchronous). The `Writer` therefore calls `sync`
 * before it reports a commit, so a power cut takes no reported commit. Reads of this process may
 * see a commit that is not synced yet. SQLite itself orders the log and the database file in a
 * checkpoint.
 */
import { closeSync, fdatasync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { syncDirectorySync } from '#lib/disk.ts'
import { WorkerRequests } from '#lib/threads/worker-requests.ts'

export class WalFile {
  #file: number | null = null

  constructor(private readonly database: string) {}

  /**
   * Opens the log at the first sync. The directory is synced too, because SQLite syncs it only with
   * its own syncs.
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

  /** Resolves when all earlier commits are on disk. */
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

export type CheckpointRequest = { readonly path: string }

/** Runs checkpoints on a thread. The thread starts with the first checkpoint. */
export class Checkpoints {
  readonly #thread = new WorkerRequests<CheckpointRequest, null>({
    code: 'core/checkpoint.worker',
    name: 'the checkpoint thread',
  })
  #running: Promise<string | null> | null = null

  constructor(private readonly path: string) {}

  get isRunning(): boolean {
    return this.#running !== null
  }

  /** Runs a checkpoint, or joins the running one. Resolves with its error message, or null. */
  run(): Promise<string | null> {
    this.#running ??= this.#thread
      .request({ path: this.path })
      .catch((error: unknown) => (error instanceof Error ? error.message : String(error)))
      .finally(() => (this.#running = null))
    return this.#running
  }

  /** Waits for the running checkpoint and ends the thread. */
  async close(): Promise<void> {
    await this.#running
    await this.#thread.close()
  }
}
