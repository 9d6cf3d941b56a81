/** Jobs, steps and lines of this process beside bash and bubblewrap alone. */
import { compareSides, type Side } from './sides.ts'
import { NICENESS, type Job, type Site } from './site.ts'
import {
  JOBS,
  longLog,
  manyJobs,
  manySteps,
  oneStep,
  printLines,
  STEPS,
  timeLine,
} from './workflows.ts'

export const HERE = 'ubuntu-latest'
/** Longer than the pause before the process makes the sandbox of the next job. */
const PREPARED_MS = 1_000

/** Milliseconds of a program alone, which yields to others as jobs do. */
async function alone(...command: readonly string[]): Promise<number> {
  const began = performance.now()
  const child = Bun.spawn(['nice', '-n', String(NICENESS), ...command], {
    stdout: 'ignore',
    stderr: 'ignore',
  })
  if ((await child.exited) !== 0) throw new Error(`${command[0]} failed`)
  return performance.now() - began
}

const bash = (script: string): Promise<number> => alone('bash', '-c', script)

/** What a sandbox of the same kind costs without the forge. */
const sandboxAlone: Side = () =>
  alone('bwrap', '--unshare-all', '--die-with-parent', '--ro-bind', '/', '/', 'true')

export const msOf = (job: Job | undefined): number =>
  Date.parse(job?.finished_at ?? '') - Date.parse(job?.started_at ?? '')

/** The first line of a job for which a sandbox waits. */
export const firstLine = async (site: Site, label: string): Promise<number> => {
  await Bun.sleep(PREPARED_MS)
  return (await site.firstLine(timeLine(label))).printed
}

/** The same, until REST answers with the line. */
export const readableLine = async (site: Site, label: string): Promise<number> => {
  await Bun.sleep(PREPARED_MS)
  return (await site.firstLine(timeLine(label))).readable
}

const firstLineOfNewSandbox = async (site: Site): Promise<number> => {
  await Bun.sleep(PREPARED_MS)
  await site.killSandboxes()
  return (await site.firstLine(timeLine(HERE))).printed
}

/** Each measure with what bash or bubblewrap alone takes for the same. */
export async function besideAlone(
  site: Site,
  withInternet: Site,
  rounds: number,
  lines: number,
): Promise<string> {
  // The first run reads the schema of workflow files.
  for (const one of [site, withInternet]) await one.run(oneStep(HERE))
  return compareSides(
    ['Behind walls', 'ms', 'alone'],
    [
      {
        name: 'push answered to first line, a sandbox waits; beside bwrap',
        here: () => firstLine(site, HERE),
        beside: sandboxAlone,
        goal: '1',
      },
      {
        name: 'the same, none waits',
        here: () => firstLineOfNewSandbox(site),
        beside: sandboxAlone,
        goal: '3',
      },
      {
        name: 'the same, none waits, with internet',
        here: () => firstLineOfNewSandbox(withInternet),
        beside: sandboxAlone,
        goal: '5',
      },
      {
        name: 'one job of one step, pushed to ended; beside bash',
        here: async () => (await site.run(oneStep(HERE))).ms,
        beside: () => bash('true'),
      },
      {
        name: `a further step (${STEPS} of them)`,
        here: async () => msOf((await site.run(manySteps(HERE))).jobs[0]) / STEPS,
        beside: async () => (await bash(`for i in $(seq ${STEPS}); do bash -c true; done`)) / STEPS,
        goal: '3',
      },
      {
        name: `${JOBS} jobs of one step`,
        here: async () => (await site.run(manyJobs(HERE))).ms,
        beside: () => bash(`for i in $(seq ${JOBS}); do bash -c true; done`),
      },
      {
        name: `a log of ${lines} lines`,
        here: async () => msOf((await site.run(longLog(HERE, lines))).jobs[0]),
        beside: () => bash(`${printLines(lines)} > /dev/null`),
      },
    ],
    rounds,
  )
}
