/** The engine's settings with their defaults (`GitOptions`). */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { GitOptions } from './ports.ts'
import type { EngineSettings } from './tasks/engine.ts'

const MIB = 1 << 20
/** One push of ordinary objects needs this much. */
const MIN_TASK_MEMORY_BYTES = 48 * MIB

export type Settings = {
  /** What every thread needs. */
  readonly engine: EngineSettings
  readonly workers: number
  readonly concurrency: number
  readonly agent: string
  readonly responseCacheBytes: number
  readonly mainThreadFetchMs: number
}

/** The engine's own directory below `tmp`; one per process where several share a root. */
const tmpDirectory = ({ tmp, sharedRoot }: GitOptions): string =>
  join(tmp, sharedRoot ? `git-${process.pid}` : 'git')

export function resolveSettings(options: GitOptions): Settings {
  const workers = options.workers ?? Math.max(2, Math.min(4, availableParallelism()))
  const memoryBudget = options.memoryBudget ?? 256 * MIB
  const threads = Math.max(1, workers)
  // Half of the memory is for inflated objects, the rest for indexing, walks and responses.
  const arenaBytes = Math.max(
    4 * MIB,
    Math.min(64 * MIB, Math.floor(memoryBudget / 2 / threads / MIB) * MIB),
  )
  const taskMemoryBytes = Math.max(
    MIN_TASK_MEMORY_BYTES,
    memoryBudget - threads * arenaBytes - Math.floor(memoryBudget / 16),
  )
  return {
    engine: {
      root: options.root,
      tmp: tmpDirectory(options),
      memoryBudget,
      maxPackBytes: options.maxPackBytes ?? 4096 * MIB,
      maxObjectBytes: options.maxObjectBytes ?? 256 * MIB,
      maxObjects: options.maxObjects ?? 10_000_000,
      arenaBytes,
      taskMemoryBytes,
      maxTableBytes: Math.floor(taskMemoryBytes / 2),
    },
    workers,
    concurrency: options.concurrency ?? 32,
    responseCacheBytes: options.responseCacheBytes ?? 2048 * MIB,
    mainThreadFetchMs: options.mainThreadFetchMs ?? 4,
    agent: `hearth/${options.version ?? 'dev'}`,
  }
}
