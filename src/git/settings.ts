/** The engine's settings with their defaults (`GitOptions`). */
import { availableParallelism } from 'node:os'
import type { GitOptions } from './ports.ts'
import type { EngineSettings } from './tasks/engine.ts'

const MIB = 1 << 20

export type Settings = EngineSettings & {
  readonly workers: number
  readonly concurrency: number
  readonly agent: string
  readonly keptBytes: number
  readonly smallMs: number
}

export function settingsOf(options: GitOptions): Settings {
  const workers = options.workers ?? Math.max(2, Math.min(4, availableParallelism()))
  const memoryBudget = options.memoryBudget ?? 256 * MIB
  const threads = Math.max(1, workers)
  return {
    root: options.root,
    tmp: options.tmp,
    workers,
    concurrency: options.concurrency ?? 32,
    memoryBudget,
    maxPackBytes: options.maxPackBytes ?? 4096 * MIB,
    maxObjectBytes: options.maxObjectBytes ?? 256 * MIB,
    maxObjects: options.maxObjects ?? 10_000_000,
    // Half of the memory goes to inflated objects, the rest to indexing and to walks.
    arenaBytes: Math.max(
      4 * MIB,
      Math.min(64 * MIB, Math.floor(memoryBudget / 2 / threads / MIB) * MIB),
    ),
    keptBytes: options.keptBytes ?? 2048 * MIB,
    smallMs: options.smallMs ?? 4,
    agent: `hearth/${options.version ?? 'dev'}`,
  }
}
