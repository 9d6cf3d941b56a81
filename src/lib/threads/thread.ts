/**
 * What the system knows of one thread: its priority and the processor time that it has used. Both
 * are known on Linux, where each thread has its own. Elsewhere a priority would be that of the
 * whole process.
 */
import { readFileSync, readlinkSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'

/** The lowest priority. */
const MAX_NICENESS = 19

/**
 * How much lower than that of the event loop the priorities of threads are (nice(1)). On one core
 * with a busy thread, the loop gets about 75 percent beside the git engine, and 90 beside texts and
 * passwords.
 */
export const NICENESS = {
  /** Work on packs and history, which requests wait for. */
  engine: 5,
  /**
   * Texts that strangers wrote and passwords that they try. It is that of jobs of workflows too, so
   * that those do not keep people from signing in.
   */
  untrusted: 10,
} as const

/** Lowers the priority of the calling thread below that of the process. */
export function lowerThreadPriority(niceness: number): void {
  if (process.platform !== 'linux') return
  try {
    // 0 is the calling thread (setpriority(2), notes).
    setPriority(0, Math.min(MAX_NICENESS, getPriority(0) + niceness))
  } catch {
    // The thread keeps the normal priority.
  }
}

/**
 * The processor time of the calling thread in milliseconds. A budget of work counts by it, so that a
 * busy machine does not give up what a quiet one finishes.
 */
export function ownThreadCpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** The name of the calling thread in `/proc`; null where the system has none. */
export function threadName(): string | null {
  try {
    return readlinkSync('/proc/thread-self')
  } catch {
    return null
  }
}

/** Of the times in `/proc`: USER_HZ, which is 100 on every Linux that programs see. */
const TICKS_PER_SECOND = 100

/** The same of another thread of this process; null when it is not known. */
export function threadCpuMs(name: string): number | null {
  try {
    const stat = readFileSync(`/proc/${name}/stat`, 'latin1')
    // proc_pid_stat(5), fields 14 and 15. The second field may hold spaces and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND
  } catch {
    return null
  }
}
