/** How the time of an expression grows with its text, on a machine that does other things too. */

/** Shorter times are noise of the machine. */
const NOISE_MS = 4
/** A linear expression takes 4 times as long for 4 times the text, a quadratic one 16 times. */
export const MAX_GROWTH = 10
/** Whatever is quadratic is so each time; a garbage collection or a compilation comes once. */
const MAX_TRIES = 10

/** Processor time of this thread. */
function cpuMs(run: () => void): number {
  const before = process.threadCpuUsage()
  run()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

/** Processor time of this thread, the shortest of some rounds. */
export const shortestCpuMs = (run: () => void, rounds = 3): number =>
  Math.min(...Array.from({ length: rounds }, () => cpuMs(run)))

/**
 * How many times longer `run` takes for the whole of a text than for a quarter of it: the least of
 * some tries, of which the first that is linear is the last. 0 where all is too quick to be measured.
 */
export function growthOf(run: (text: string) => void, whole: string, quarter: string): number {
  let least = Infinity
  for (let tries = 0; tries < MAX_TRIES && least > MAX_GROWTH; tries++) {
    const wholeMs = shortestCpuMs(() => run(whole), tries === 0 ? 1 : 3)
    if (wholeMs < NOISE_MS) return 0
    const quarterMs = shortestCpuMs(() => run(quarter), 5)
    least = Math.min(least, wholeMs / Math.max(quarterMs, NOISE_MS / 8))
  }
  return least
}
