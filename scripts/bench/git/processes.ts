/** What processes use, read from outside (Linux: proc(5)). */
import { dlopen, FFIType } from 'bun:ffi'
import { readdirSync, readFileSync } from 'node:fs'

type Stat = {
  readonly pid: number
  readonly parent: number /** With those of children that ended. */
  readonly ticks: number
  readonly ownTicks: number
}

/** Clock ticks a second in /proc; the kernel's own is 100 on every machine that Hearth runs on. */
const TICKS = 100

function statOf(pid: number): Stat | null {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch {
    return null
  }
  // The name in brackets may hold anything: what counts comes behind the last bracket.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [user, system, childUser, childSystem] = fields.slice(11, 15).map(Number)
  const ownTicks = (user ?? 0) + (system ?? 0)
  return {
    pid,
    parent: Number(fields[1]),
    ownTicks,
    ticks: ownTicks + (childUser ?? 0) + (childSystem ?? 0),
  }
}

/** A process and all that came of it and still runs. */
function treeOf(root: number): Stat[] {
  const all = readdirSync('/proc').flatMap((name) =>
    /^\d+$/.test(name) ? (statOf(Number(name)) ?? []) : [],
  )
  const tree = all.filter(({ pid }) => pid === root)
  for (let at = 0; at < tree.length; at++)
    tree.push(...all.filter(({ parent }) => parent === tree[at]?.pid))
  return tree
}

/** Seconds of processor time of a process and of everything it ran, ended or not. */
export const cpuOf = (root: number): number =>
  treeOf(root).reduce(
    (sum, one) => sum + (one.pid === root ? rootSeconds(one) : one.ticks / TICKS),
    0,
  )

/**
 * What ended children used is known in ticks alone; the process itself has a clock that counts
 * nanoseconds, threads that ended with it.
 */
const rootSeconds = ({ pid, ticks, ownTicks }: Stat): number =>
  (clockOf(pid) ?? ownTicks / TICKS) + (ticks - ownTicks) / TICKS

let libc:
  | { readonly clock_gettime: (clock: number, time: Int32Array | BigInt64Array) => number }
  | null
  | undefined

/**
 * The processor clock of another process (clock_getcpuclockid(3)), in seconds; null where the C
 * library cannot be asked.
 */
function clockOf(pid: number): number | null {
  if (libc === undefined) {
    try {
      libc = dlopen('libc.so.6', {
        clock_gettime: { args: [FFIType.i32, FFIType.ptr], returns: FFIType.i32 },
      }).symbols
    } catch {
      libc = null
    }
  }
  const time = new BigInt64Array(2)
  // How Linux numbers these clocks: the process inverted, and 2 for the time that the scheduler
  // gave it.
  return libc && libc.clock_gettime((~pid << 3) | 2, time) === 0
    ? Number(time[0]) + Number(time[1]) / 1e9
    : null
}

function kilobytes(pid: number, field: string): number {
  try {
    return Number(
      new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(
        readFileSync(`/proc/${pid}/status`, 'latin1'),
      )?.[1] ?? 0,
    )
  } catch {
    return 0
  }
}

/** MiB of resident memory of a process and everything it runs now. Shared pages count for each. */
export const residentOf = (root: number): number =>
  treeOf(root).reduce((sum, { pid }) => sum + kilobytes(pid, 'VmRSS'), 0) / 1024

/**
 * Watches the memory of a process tree until it is stopped; gives the most that was seen, in MiB.
 */
export function watchMemory(root: number, every = 20): () => number {
  let most = residentOf(root)
  const timer = setInterval(() => (most = Math.max(most, residentOf(root))), every)
  return () => {
    clearInterval(timer)
    return Math.max(most, residentOf(root))
  }
}
