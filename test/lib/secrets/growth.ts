/** How the time of an expression grows with its text, on a machine that does other things too. */

/** Shorter times are not compared. */
const MIN_MS = 4
/** A linear expression takes 4 times as long for 4 times the text, a quadratic one 16 times. */
export const MAX_GROWTH = 10
/** Whatever is quadratic is so each time; a garbage collection or a compilation comes once. */
const MAX_TRIES = 5
/** Some kernels count the processor time of a thread in steps of 4 ms, so many steps are measured. */
const MEASURED_MS = 40

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

/** Processor time of one call in a row of calls that is long enough to be measured. */
function meanCpuMs(run: () => void): number {
  let calls = 0
  let total = 0
  for (let row = 1; total < MEASURED_MS; row *= 2) {
    total += cpuMs(() => {
      for (let call = 0; call < row; call++) run()
    })
    calls += row
  }
  return total / calls
}

/** Whether one of three calls is over at once, by the clock of the wall, which has no steps. */
function isQuick(run: () => void): boolean {
  for (let call = 0; call < 3; call++) {
    const start = performance.now()
    run()
    if (performance.now() - start < MIN_MS) return true
  }
  return false
}

/**
 * How many times longer `run` takes for the whole of a text than for a quarter of it: the least of
 * some tries, of which the first that is linear is the last. 0 where all is too quick to be compared.
 */
export function growthOf(run: (text: string) => void, whole: string, quarter: string): number {
  if (isQuick(() => run(whole))) return 0
  let least = Infinity
  for (let tries = 0; tries < MAX_TRIES && least > MAX_GROWTH; tries++)
    least = Math.min(least, meanCpuMs(() => run(whole)) / meanCpuMs(() => run(quarter)))
  return least
}
