/**
 * Sends an arriving pack to a thread that checks and stores it, block by block, with backpressure.
 */
import { GitError, type Oid } from '../ports.ts'
import type { TaskContext } from '../protocol/pipe-task.ts'
import type { IngestRequest, IngestResult } from '../tasks/ingest.ts'
import type { FetchProgress } from './ports.ts'

const BLOCK_BYTES = 1 << 18

export type Target = { readonly oid: Oid; readonly commit: boolean }

export type IngestContext = TaskContext & {
  /** Removes the pack when no ref moved. */
  readonly withdraw: (store: string, pack: string) => void
}

export class PackIngestion {
  readonly #handle
  #block = new Uint8Array(BLOCK_BYTES)
  #at = 0
  #bytes = 0
  #objects = 0
  #total = 0

  constructor(
    private readonly context: IngestContext,
    private readonly store: string,
    tips: Uint8Array,
    targets: readonly Target[],
    private readonly onProgress: (progress: FetchProgress) => void,
  ) {
    this.#handle = context.threads.start<IngestResult>(
      'ingest',
      {
        store,
        tips,
        targets,
        pack: true,
        counts: true,
        imported: true,
      } satisfies IngestRequest,
      (chunk, taken) => {
        const counts = Buffer.from(chunk.buffer, chunk.byteOffset, 8)
        this.#objects = counts.readUInt32BE(0)
        this.#total = counts.readUInt32BE(4)
        this.#tell()
        taken()
      },
    )
  }

  async put(bytes: Uint8Array): Promise<void> {
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
      await this.#handle.input(null)
      return await this.#handle.result
    } finally {
      signal?.removeEventListener('abort', stop)
      leave()
    }
  }

  /** Cancels the task; removes the pack if it was just completed. */
  abort(): void {
    this.#handle.cancel((late) => {
      if (late.pack !== null) this.context.withdraw(this.store, late.pack)
    })
  }

  /** The error of the task if it failed before the pack ended; otherwise `error`. */
  async findCause(error: unknown): Promise<unknown> {
    this.abort()
    return await this.#handle.result.then(
      () => error,
      (failure: unknown) =>
        failure instanceof GitError && failure.code === 'aborted' ? error : failure,
    )
  }

  async #pass(): Promise<void> {
    const block = this.#at === BLOCK_BYTES ? this.#block : this.#block.slice(0, this.#at)
    this.#bytes += this.#at
    this.#block = new Uint8Array(BLOCK_BYTES)
    this.#at = 0
    await this.#handle.input(block)
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
