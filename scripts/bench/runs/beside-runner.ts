/** The same workflows in this process and by a real runner of the same forge, both in turn. */
import { basename } from 'node:path'
import { table } from '../forge/table.ts'
import { compareSides, median } from './sides.ts'
import { FAR, type Site } from './site.ts'
import { firstLine, HERE, msOf, readableLine } from './walls.ts'
import { JOBS, longLog, manyJobs, manySteps, oneStep, STEPS } from './workflows.ts'

const CAPACITY = 4
/** A runner that takes one job in two seconds needs minutes for the matrix. */
const MATRIX_ROUNDS = 1
const LOG_ROUNDS = 2
const ROWS_OF_A_CALL = 100
const HELD_MS = 10_000

/** Milliseconds of processor time of the forge in ten seconds in which nothing happens. */
async function idleCost(site: Site): Promise<number> {
  const before = site.cpuSeconds
  await Bun.sleep(HELD_MS)
  return (site.cpuSeconds - before) * 1_000
}

export async function besideRunner(
  site: Site,
  program: string,
  rounds: number,
  lines: number,
): Promise<string> {
  await site.run(oneStep(HERE))
  const idle = await idleCost(site)
  const runner = await site.addRunner({ program, label: FAR, capacity: CAPACITY })
  try {
    await site.run(oneStep(FAR))
    const held = await idleCost(site)
    const cost: number[] = []
    const logged = async (): Promise<number> => {
      const [before, began] = [site.cpuSeconds, performance.now()]
      const { jobs } = await site.run(longLog(FAR, lines))
      const idleMs = (held * (performance.now() - began)) / HELD_MS
      const usedMs = (site.cpuSeconds - before) * 1_000 - idleMs
      cost.push(usedMs / (lines / ROWS_OF_A_CALL))
      return msOf(jobs[0])
    }
    const text = await compareSides(
      [`Beside ${basename(program)}, capacity ${CAPACITY}`, 'ms', 'runner'],
      [
        {
          name: 'push answered to first line',
          here: () => firstLine(site, HERE),
          beside: () => firstLine(site, FAR),
        },
        {
          name: 'push answered to first line that can be read',
          here: () => readableLine(site, HERE),
          beside: () => readableLine(site, FAR),
          goal: '0.1',
        },
        {
          name: `a further step (${STEPS} of them)`,
          here: async () => msOf((await site.run(manySteps(HERE))).jobs[0]) / STEPS,
          beside: async () => msOf((await site.run(manySteps(FAR))).jobs[0]) / STEPS,
        },
        {
          name: `${JOBS} jobs of one step`,
          here: async () => (await site.run(manyJobs(HERE))).ms,
          beside: async () => (await site.run(manyJobs(FAR))).ms,
          rounds: MATRIX_ROUNDS,
          goal: '2.5, 0.04 of one that takes a job in 2 s',
        },
        {
          name: `a log of ${lines} lines`,
          here: async () => msOf((await site.run(longLog(HERE, lines))).jobs[0]),
          beside: logged,
          rounds: LOG_ROUNDS,
          goal: '0.125',
        },
      ],
      rounds,
    )
    const server = table(
      ['What the runner costs the forge', 'ms', 'goal'],
      [
        [`processor time of ${ROWS_OF_A_CALL} rows of its log`, median(cost).toFixed(2), '1'],
        [
          `processor time of ${HELD_MS / 1_000} s that it waits for a job, ${idle.toFixed(0)} without`,
          held.toFixed(0),
          '',
        ],
      ],
    )
    return `${text}\n${server}`
  } finally {
    await runner.stop('SIGKILL')
  }
}
