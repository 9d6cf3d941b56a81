/** Work on links in this process: one job per link, which a change of the link aborts. */
import type { Hearth } from '#core/hearth.ts'
import { service } from '#core/service.ts'

const runningWork = service('running mirrors', () => new Map<string, AbortController>())

/**
 * Runs work unless other work on the link runs; returns false then. The signal is aborted with
 * `outer` or by `abortWork`.
 */
export async function runAlone(
  hearth: Hearth,
  id: string,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<boolean> {
  const running = runningWork(hearth)
  if (running.has(id)) return false
  const own = new AbortController()
  running.set(id, own)
  try {
    await work(AbortSignal.any([outer, own.signal]))
    return true
  } finally {
    running.delete(id)
  }
}

export const abortWork = (hearth: Hearth, id: string): void => runningWork(hearth).get(id)?.abort()
