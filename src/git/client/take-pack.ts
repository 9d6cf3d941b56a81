/**
 * Hands a pack that comes to a thread that checks and stores it, block by block; nothing piles up
 * on the way.
 */
import { GitError, type Oid } from '../ports.ts'
import type { TaskContext } from '../protocol/pipe-task.ts'
import type { IngestResult } from '../tasks/ingest.ts'
import type { FetchProgress } from './ports.ts'

const BLOCK = 1 << 18

export type Target = { readonly oid: Oid; readonly commit: boolean }

export type TakeContext = TaskContext & {
  /** No ref moved: the pack goes. */
  readonly withdraw: (store: string, pack: string) => void
}

export class PackTaker {
  readonly #handle
  #block = new Uint8Array(BLOCK)
  #at = 0
  #bytes = 0
  #objects = 0
  #total = 0

  constructor(
    private readonly context: TakeContext,
    private readonly store: string,
    tips: Uint8Array,
    targets: readonly Target[],
    private readonly onProgress: (progress: FetchProgress) => void,
  ) {
    this.#handle = context.threads.start<IngestResult>(
      'ingest',
      { store, tips, targets, pack: true, counts: true, imported: true },
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
      const part = bytes.subarray(from, from + BLOCK - this.#at)
      this.#block.set(part, this.#at)
      this.#at += part.length
      from += part.length
      if (this.#at === BLOCK) await this.#pass()
    }
  }

  /** The whole pack has come; gives what became of it. */
  async end(signal: AbortSignal | null): Promise<IngestResult> {
    if (this.#at > 0) await this.#pass()
    const leave = await this.context.enter(signal ?? undefined)
    const stop = (): void => this.giveUp()
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

  /** Gives up; a pack that was just finished is taken away again. */
  giveUp(): void {
    this.#handle.cancel((late) => {
      if (late.pack !== null) this.context.withdraw(this.store, late.pack)
    })
  }

  /**
   * What the thread itself says is wrong, when it ended before the pack did; else what is given.
   */
  async reason(error: unknown): Promise<unknown> {
    this.giveUp()
    return await this.#handle.result.then(
      () => error,
      (failure: unknown) =>
        failure instanceof GitError && failure.code === 'aborted' ? error : failure,
    )
  }

  async #pass(): Promise<void> {
    const block = this.#at === BLOCK ? this.#block : this.#block.slice(0, this.#at)
    this.#bytes += this.#at
    this.#block = new Uint8Array(BLOCK)
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
