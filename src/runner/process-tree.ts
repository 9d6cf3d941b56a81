/** Descendants of a process and their memory and files, read from /proc (proc(5)). */
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

/** The ids of all descendants of a process; some may have ended by the time they are used. */
export const findDescendants = (root: number): number[] => findDescendantsOf([root])

/** The ids of all descendants of processes. */
export function findDescendantsOf(roots: readonly number[]): number[] {
  const children = new Map<number, number[]>()
  for (const name of list('/proc')) {
    if (!/^\d+$/.test(name)) continue
    // The name in parentheses may contain any character; numbers follow the last parenthesis.
    const stat = read(`/proc/${name}/stat`)
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
    const siblings = children.get(parent)
    if (siblings) siblings.push(Number(name))
    else children.set(parent, [Number(name)])
  }
  const found: number[] = []
  for (
    let next = roots.flatMap((root) => children.get(root) ?? []);
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
 * Memory of processes in bytes. Above `limit` it is measured again with shared pages counted once
 * (`smaps_rollup`), which is slower.
 */
export function measureMemory(pids: readonly number[], limit: number): number {
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

/** Bytes of deleted files that these processes have open. */
export function measureUnlinkedFiles(pids: readonly number[]): number {
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
        // The file was closed meanwhile.
      }
    }
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0)
}

/** Available memory of the machine in bytes; Infinity where /proc/meminfo does not say. */
export function readAvailableMemory(): number {
  const found = /^MemAvailable:\s+(\d+) kB$/m.exec(read('/proc/meminfo'))
  return found ? Number(found[1]) * 1024 : Number.POSITIVE_INFINITY
}
