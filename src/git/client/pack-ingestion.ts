/**
 * Sends an arriving pack to a thread that checks and stores it, block by block, with backpressure.
 */
import { GitError, type Oid } from '../ports.ts'
import type { TaskContext } from '../protocol/pipe-task.ts'
import type { IngestRequest, IngestResult } from '../tasks/ingest.ts'
import type { IngestTargets } from '../tasks/ingest-targets.ts'
import type { TaskHandle } from '../tasks/thread-pool.ts'
import type { FetchProgress } from './ports.ts'

const BLOCK_BYTES = 1 << 18

export type IngestContext = TaskContext & {
  /** Removes the pack when no ref moved. */
  readonly withdraw: (store: string, pack: string) => void
}

export class PackIngestion {
  #handle: TaskHandle<IngestResult> | null = null
  /** The commits at which the remote's history ends; told before the pack. */
  shallow: readonly Oid[] = []
  #block = new Uint8Array(BLOCK_BYTES)
  #at = 0
  #bytes = 0
  #objects = 0
  #total = 0

  constructor(
    private readonly context: IngestContext,
    private readonly store: string,
    private readonly tips: Uint8Array,
    private readonly targets: IngestTargets,
    private readonly onProgress: (progress: FetchProgress) => void,
  ) {}

  async put(bytes: Uint8Array): Promise<void> {
    this.#start()
    for (let from = 0; from < bytes.length; ) {
      const part = bytes.subarray(from, from + BLOCK_BYTES - this.#at)
      this.#block.set(part, this.#at)
      this.#at += part.length
      from += part.length
      if (this.#at === BLOCK_BYTES) await this.#pass()
    }
  }

  /** Ends the pack; returns the result of the task. */
  async end(signal: AbortSignal | null): Promise<IngestResult> {
    if (this.#at > 0) await this.#pass()
    const leave = await this.context.acquire(signal ?? undefined)
    const stop = (): void => this.abort()
    signal?.addEventListener('abort', stop, { once: true })
    try {
      this.onProgress({ kind: 'resolving', total: this.#total, bytes: this.#bytes })
      const task = this.#start()
      await task.input(null)
      return await task.result
    } finally {
      signal?.removeEventListener('abort', stop)
      leave()
    }
  }

  /** Cancels the task; removes the pack if it was just completed. */
  abort(): void {
    this.#handle?.cancel((late) => {
      if (late.pack !== null) this.context.withdraw(this.store, late.pack)
    })
  }

  /** The error of the task if it failed before the pack ended; otherwise `error`. */
  async findCause(error: unknown): Promise<unknown> {
    if (this.#handle === null) return error
    this.abort()
    return await this.#handle.result.then(
      () => error,
      (failure: unknown) =>
        failure instanceof GitError && failure.code === 'aborted' ? error : failure,
    )
  }

  /** Starts the task with the first bytes, when `shallow` is known. */
  #start(): TaskHandle<IngestResult> {
    if (this.#handle !== null) return this.#handle
    const { store, tips, targets, shallow } = this
    const request: IngestRequest = {
      store,
      tips,
      targets,
      pack: true,
      counts: true,
      imported: true,
      shallow,
    }
    return (this.#handle = this.context.threads.start('ingest', request, (chunk, taken) => {
      const counts = Buffer.from(chunk.buffer, chunk.byteOffset, 8)
      this.#objects = counts.readUInt32BE(0)
      this.#total = counts.readUInt32BE(4)
      this.#tell()
      taken()
    }))
  }

  async #pass(): Promise<void> {
    const block = this.#at === BLOCK_BYTES ? this.#block : this.#block.slice(0, this.#at)
    this.#bytes += this.#at
    this.#block = new Uint8Array(BLOCK_BYTES)
    this.#at = 0
    await this.#start().input(block)
    this.#tell()
  }

  #tell(): void {
    this.onProgress({
      kind: 'receiving',
      objects: this.#objects,
      total: this.#total,
      bytes: this.#bytes,
    })
  }
}
