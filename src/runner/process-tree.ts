/**
 * Processes below another one, read from /proc (proc(5)). Everything here answers for processes
 * that may be gone a moment later.
 */
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'

const read = (path: string): string => {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

const list = (path: string): string[] => {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

/**
 * The ids of all processes whose parents, one after the other, lead to this one; it is not among
 * them.
 */
export function descendants(root: number): number[] {
  const children = new Map<number, number[]>()
  for (const name of list('/proc')) {
    if (!/^\d+$/.test(name)) continue
    // The name in parentheses may hold anything; what follows the last one are numbers.
    const stat = read(`/proc/${name}/stat`)
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
    const siblings = children.get(parent)
    if (siblings) siblings.push(Number(name))
    else children.set(parent, [Number(name)])
  }
  const found: number[] = []
  for (
    let next = children.get(root) ?? [];
    next.length > 0;
    next = next.flatMap((pid) => children.get(pid) ?? [])
  )
    found.push(...next)
  return found
}

const kilobytes = (text: string, names: readonly string[]): number =>
  names.reduce(
    (sum, name) => sum + Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0),
    0,
  )

/**
 * Memory of these processes in bytes. Pages that several share are counted once where the kernel
 * tells of that.
 */
export function memoryOf(pids: readonly number[], limit: number): number {
  const roughly =
    pids.reduce(
      (sum, pid) => sum + kilobytes(read(`/proc/${pid}/status`), ['RssAnon', 'RssShmem']),
      0,
    ) * 1024
  if (roughly <= limit) return roughly
  const exactly = pids.map((pid) => read(`/proc/${pid}/smaps_rollup`))
  return exactly.every((text) => text === '')
    ? roughly
    : exactly.reduce((sum, text) => sum + kilobytes(text, ['Pss_Anon', 'Pss_Shmem']), 0) * 1024
}

/**
 * Bytes of files that these processes hold open and that no folder names any more, on disk and in
 * memory.
 */
export function unnamedBytes(pids: readonly number[]): number {
  const sizes = new Map<string, number>()
  for (const pid of pids) {
    for (const fd of list(`/proc/${pid}/fd`)) {
      try {
        const path = `/proc/${pid}/fd/${fd}`
        if (!readlinkSync(path).startsWith('/')) continue
        const stat = statSync(path)
        if (stat.isFile() && stat.nlink === 0)
          sizes.set(`${stat.dev} ${stat.ino}`, stat.blocks * 512)
      } catch {
        // Closed meanwhile.
      }
    }
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0)
}

/**
 * Memory of the machine that programs could still have, in bytes; infinite where that is not told.
 */
export function availableMemory(): number {
  const found = /^MemAvailable:\s+(\d+) kB$/m.exec(read('/proc/meminfo'))
  return found ? Number(found[1]) * 1024 : Number.POSITIVE_INFINITY
}
