/**
 * Polls what the kernel does not limit: memory of all processes together where there are no control
 * groups, disk usage, and free memory and disk of the machine. The command is killed at the first
 * limit that it exceeds.
 */
import { statfs } from 'node:fs/promises'
import type { CommandLimits } from './limits.ts'
import {
  readAvailableMemory,
  findDescendantsOf,
  measureMemory,
  measureUnlinkedFiles,
} from './process-tree.ts'
import { MINIMAL_ENV } from './shell.ts'

/** `full_disk`: the machine has little room left, whoever took it. */
export type ExceededLimit = 'memory' | 'disk' | 'full_disk'

type DiskMeasure = {
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

export type WatchOptions = {
  /** The ancestors of the processes. */
  readonly pids: () => readonly number[]
  /** At least one. */
  readonly folders: () => readonly string[]
  /** Bytes that count too and are in none of the folders. */
  readonly heldBytes?: () => number
  /** How `du` is started, where it may not read all files otherwise. */
  readonly du?: DiskMeasure
  readonly limits: CommandLimits
  /** Whether a control group limits the memory. */
  readonly kernelLimitsMemory: boolean
  /** How many processes the kernel has killed because the memory limit was reached. */
  readonly countOomKills: () => number
  readonly onExceeded: (what: ExceededLimit) => void
}

const INTERVAL_MS = 250
/** At least between two runs of du that nothing but the time asks for, and as a multiple of one run. */
const DISK_INTERVAL_MS = 10_000
const DISK_PAUSE = 50
/** A command is killed when the machine has less free memory or disk space. */
const MEMORY_RESERVE_BYTES = 192 * 1024 ** 2
export const DISK_RESERVE_BYTES = 256 * 1024 ** 2

/** Bytes on disk below folders. */
async function measureDiskUse(
  folders: readonly string[],
  { argv, env }: DiskMeasure,
): Promise<number> {
  const child = Bun.spawn([...argv, '-skxc', '--', ...folders], {
    env: { ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const text = await new Response(child.stdout).text()
  return Number(/^(\d+)\ttotal$/m.exec(text)?.[1] ?? 0) * 1024
}

/** Says when du is due although free space has not fallen. */
class DiskInterval {
  #dueAt = performance.now() + DISK_INTERVAL_MS

  get isDue(): boolean {
    return performance.now() >= this.#dueAt
  }

  async during<T>(measurement: Promise<T>): Promise<T> {
    const began = performance.now()
    const measured = await measurement
    const now = performance.now()
    this.#dueAt = now + Math.max(DISK_INTERVAL_MS, (now - began) * DISK_PAUSE)
    return measured
  }
}

/** Starts to poll. Returns the function that stops it. */
export function watchLimits({
  pids,
  folders,
  heldBytes = () => 0,
  du = { argv: ['du'], env: MINIMAL_ENV },
  limits,
  kernelLimitsMemory: memoryHeld,
  countOomKills: kills,
  onExceeded: found,
}: WatchOptions): () => void {
  let ended = false
  const findAll = (): number[] => [...pids(), ...findDescendantsOf(pids())]
  /** The last measurement: free space by folder, and bytes used. statfs is cheap, du is not. */
  let measured = { free: new Map<string, number>(), used: 0 }
  const interval = new DiskInterval()
  const end = () => {
    ended = true
    clearTimeout(timer)
  }
  const say = (what: ExceededLimit) => {
    if (ended) return
    end()
    found(what)
  }

  async function checkDisk(): Promise<void> {
    const free = new Map<string, number>()
    let fallen = 0
    for (const folder of folders()) {
      const { bavail, bsize } = await statfs(folder)
      const now = bavail * bsize
      free.set(folder, now)
      // A folder that is new begins here.
      const before = measured.free.get(folder) ?? now
      measured.free.set(folder, before)
      if (now < DISK_RESERVE_BYTES && before > now) return say('full_disk')
      fallen = Math.max(fallen, before - now)
    }
    // du runs when free space has fallen by half of what is left, and now and then: others free some.
    if (fallen < (limits.diskBytes - measured.used) / 2 && !interval.isDue) return
    const inFolders = await interval.during(measureDiskUse(folders(), du))
    const used = inFolders + heldBytes() + measureUnlinkedFiles(findAll())
    if (used > limits.diskBytes) return say('disk')
    measured = { free, used }
  }

  async function checkAll(): Promise<void> {
    try {
      if (kills() > 0 || readAvailableMemory() < MEMORY_RESERVE_BYTES) return say('memory')
      if (!memoryHeld && measureMemory(findAll(), limits.memoryBytes) > limits.memoryBytes)
        return say('memory')
      await checkDisk()
    } catch {
      // The folder or process is gone, so the command has ended.
    }
    if (!ended) timer = setTimeout(checkAll, INTERVAL_MS)
  }
  let timer = setTimeout(checkAll, INTERVAL_MS)
  return end
}
