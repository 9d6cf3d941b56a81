/**
 * Polls what the kernel does not limit: memory of all processes together where there are no control
 * groups, disk usage, and free memory and disk of the machine. The command is killed at the first
 * limit that it exceeds.
 */
import { statfs } from 'node:fs/promises'
import type { CommandLimits } from './limits.ts'
import {
  readAvailableMemory,
  findDescendants,
  measureMemory,
  measureUnlinkedFiles,
} from './process-tree.ts'
import { MINIMAL_ENV } from './shell.ts'

/** `full_disk`: the machine has little room left, whoever took it. */
export type ExceededLimit = 'memory' | 'disk' | 'full_disk'

export type WatchOptions = {
  /** The ancestor of the command's processes. */
  readonly pid: number
  readonly folder: string
  readonly limits: CommandLimits
  /** Whether a control group limits the memory. */
  readonly kernelLimitsMemory: boolean
  /** How many processes the kernel has killed because the memory limit was reached. */
  readonly countOomKills: () => number
  readonly onExceeded: (what: ExceededLimit) => void
}

const INTERVAL_MS = 250
/** A command is killed when the machine has less free memory or disk space. */
const MEMORY_RESERVE_BYTES = 192 * 1024 ** 2
const DISK_RESERVE_BYTES = 256 * 1024 ** 2

/** Bytes on disk below a folder. */
async function measureDiskUse(folder: string): Promise<number> {
  const child = Bun.spawn(['du', '-skx', '--', folder], {
    env: MINIMAL_ENV,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const text = await new Response(child.stdout).text()
  return Number(/^(\d+)/.exec(text)?.[1] ?? 0) * 1024
}

/** Starts to poll. Returns the function that stops it. */
export function watchLimits({
  pid,
  folder,
  limits,
  kernelLimitsMemory: memoryHeld,
  countOomKills: kills,
  onExceeded: found,
}: WatchOptions): () => void {
  let ended = false
  /** The last measurement: free space and bytes used. statfs is cheap, du is not. */
  let measured = { free: Number.POSITIVE_INFINITY, used: 0 }
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
    const { bavail, bsize } = await statfs(folder)
    const free = bavail * bsize
    if (measured.free === Number.POSITIVE_INFINITY) measured = { free, used: 0 }
    if (free < DISK_RESERVE_BYTES && measured.free - free > 0) return say('full_disk')
    // du runs only after free space has fallen by half of what the command may still use.
    if (measured.free - free < (limits.diskBytes - measured.used) / 2) return
    const used = (await measureDiskUse(folder)) + measureUnlinkedFiles(findDescendants(pid))
    if (used > limits.diskBytes) return say('disk')
    measured = { free, used }
  }

  async function checkAll(): Promise<void> {
    try {
      if (kills() > 0 || readAvailableMemory() < MEMORY_RESERVE_BYTES) return say('memory')
      if (
        !memoryHeld &&
        measureMemory(findDescendants(pid), limits.memoryBytes) > limits.memoryBytes
      )
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
