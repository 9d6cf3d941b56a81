/**
 * What no limit of the kernel covers is watched: memory of all processes together where there are
 * no control groups, disk space, and the state of the whole machine. The first thing found ends the
 * command.
 */
import { statfs } from 'node:fs/promises'
import type { Limits } from './limits.ts'
import { availableMemory, descendants, memoryOf, unnamedBytes } from './process-tree.ts'
import { BARE } from './shell.ts'

export type Found = 'memory' | 'disk'

export type WatchOptions = {
  /** The process below which the command's are. */
  readonly pid: number
  readonly folder: string
  readonly limits: Limits
  /** Whether the kernel holds the memory already. */
  readonly memoryHeld: boolean
  /** How often the kernel has ended a process because the memory was used up. */
  readonly kills: () => number
  readonly found: (what: Found) => void
}

const INTERVAL_MS = 250
/** The machine keeps this much for everything else. */
const MEMORY_RESERVE = 192 * 1024 ** 2
const DISK_RESERVE = 256 * 1024 ** 2

/** Bytes on disk below a folder, however deep. */
async function diskUse(folder: string): Promise<number> {
  const child = Bun.spawn(['du', '-skx', '--', folder], {
    env: BARE,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const text = await new Response(child.stdout).text()
  return Number(/^(\d+)/.exec(text)?.[1] ?? 0) * 1024
}

/** Begins to watch; gives the function that ends it. */
export function watch({ pid, folder, limits, memoryHeld, kills, found }: WatchOptions): () => void {
  let ended = false
  /**
   * Free space when it was last measured, and what was used then. Looking at free space is cheap,
   * measuring is not.
   */
  let measured = { free: Number.POSITIVE_INFINITY, used: 0 }
  const end = () => {
    ended = true
    clearTimeout(timer)
  }
  const say = (what: Found) => {
    if (ended) return
    end()
    found(what)
  }

  async function lookAtDisk(): Promise<void> {
    const { bavail, bsize } = await statfs(folder)
    const free = bavail * bsize
    if (measured.free === Number.POSITIVE_INFINITY) measured = { free, used: 0 }
    if (free < DISK_RESERVE && measured.free - free > 0) return say('disk')
    // Only a loss of free space can mean that the command has used some.
    if (measured.free - free < (limits.disk - measured.used) / 2) return
    const used = (await diskUse(folder)) + unnamedBytes(descendants(pid))
    if (used > limits.disk) return say('disk')
    measured = { free, used }
  }

  async function look(): Promise<void> {
    try {
      if (kills() > 0 || availableMemory() < MEMORY_RESERVE) return say('memory')
      if (!memoryHeld && memoryOf(descendants(pid), limits.memory) > limits.memory)
        return say('memory')
      await lookAtDisk()
    } catch {
      // A folder or process that is gone has nothing left to watch.
    }
    if (!ended) timer = setTimeout(look, INTERVAL_MS)
  }
  let timer = setTimeout(look, INTERVAL_MS)
  return end
}
