/** What processes use, read from outside (Linux: proc(5)). */
import { readdirSync, readFileSync } from 'node:fs'

type Stat = { readonly pid: number; readonly parent: number; readonly ticks: number }

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
  return { pid, parent: Number(fields[1]), ticks: (user ?? 0) + (system ?? 0) + (childUser ?? 0) + (childSystem ?? 0) }
}

/** A process and all that came of it and still runs. */
function treeOf(root: number): Stat[] {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (statOf(Number(name)) ?? []) : []))
  const tree = all.filter(({ pid }) => pid === root)
  for (let at = 0; at < tree.length; at++) tree.push(...all.filter(({ parent }) => parent === tree[at]?.pid))
  return tree
}

/** Seconds of processor time of a process and of everything it ran, ended or not. */
export const cpuOf = (root: number): number => treeOf(root).reduce((sum, { ticks }) => sum + ticks, 0) / TICKS

function kilobytes(pid: number, field: string): number {
  try {
    return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

/** MiB of resident memory of a process and everything it runs now. Shared pages count for each. */
export const residentOf = (root: number): number => treeOf(root).reduce((sum, { pid }) => sum + kilobytes(pid, 'VmRSS'), 0) / 1024

/** Watches the memory of a process tree until it is stopped; gives the most that was seen, in MiB. */
export function watchMemory(root: number, every = 20): () => number {
  let most = residentOf(root)
  const timer = setInterval(() => (most = Math.max(most, residentOf(root))), every)
  return () => {
    clearInterval(timer)
    return Math.max(most, residentOf(root))
  }
}
