/** Writes the progress of an import to its row at intervals. */
import type { Hearth } from '#core/hearth.ts'
import { writeAs } from '#core/write.ts'
import type { FetchProgress } from '#git'
import { setProgress, type ImportProgress } from './store.ts'

const PROGRESS_INTERVAL_MS = 1000

export class ProgressWriter {
  #next: ImportProgress | null = null
  #told = -Infinity
  #writing: Promise<void> = Promise.resolve()

  constructor(
    private readonly hearth: Hearth,
    private readonly id: string,
  ) {}

  update(progress: FetchProgress): void {
    if (progress.kind === 'remote') return
    const change: ImportProgress =
      progress.kind === 'refs'
        ? { phase: 'connecting', refs_total: progress.count }
        : progress.kind === 'receiving'
          ? {
              phase: 'receiving',
              objects_done: progress.objects,
              objects_total: progress.total,
              bytes: progress.bytes,
            }
          : {
              phase: 'checking',
              objects_done: progress.total,
              objects_total: progress.total,
              bytes: progress.bytes,
            }
    const turns = this.#next?.phase !== undefined && this.#next.phase !== change.phase
    this.#next = { ...this.#next, ...change }
    if (turns || performance.now() - this.#told >= PROGRESS_INTERVAL_MS) this.#tell()
  }

  /** Writes the latest progress and waits for it. */
  async flush(): Promise<void> {
    this.#tell()
    await this.#writing
  }

  #tell(): void {
    const change = this.#next
    if (change === null) return
    this.#next = null
    this.#told = performance.now()
    const write = (): Promise<void> =>
      writeAs(this.hearth, null, (tx) => setProgress(tx, this.id, change))
    this.#writing = this.#writing.then(write, write)
  }
}
