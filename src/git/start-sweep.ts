/**
 * Sweeps what an ended process left in stores. A start would take seconds if it swept a hundred
 * thousand of them first. So some are swept at once and the rest in the background, each at the
 * latest before the first task that works in it.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { GitOptions } from './ports.ts'
import { sweepStore } from './store/store-files.ts'

/** A store takes some 25 µs. */
const STORES_PER_BATCH = 50
const BATCH_INTERVAL_MS = 10

export class StartSweep {
  readonly #waiting: Set<string>
  #timer: ReturnType<typeof setTimeout> | null = null

  constructor(
    private readonly root: string,
    private readonly log: GitOptions['log'],
  ) {
    this.#waiting = new Set(readdirSync(root))
    this.#sweepBatch()
  }

  /** Stores that are not swept yet. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Sweeps a store unless that is done. Required before anything is written there. */
  sweep(store: string): void {
    if (!this.#waiting.delete(store)) return
    const files = sweepStore(join(this.root, store))
    if (files > 0)
      this.log?.('info', 'swept files that an ended process left in a store', { store, files })
  }

  stop(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#waiting.clear()
  }

  #sweepBatch(): void {
    let left = STORES_PER_BATCH
    for (const store of this.#waiting) {
      if (left-- === 0) break
      this.sweep(store)
    }
    if (this.#waiting.size === 0) return
    this.#timer = setTimeout(() => this.#sweepBatch(), BATCH_INTERVAL_MS)
    this.#timer.unref()
  }
}
