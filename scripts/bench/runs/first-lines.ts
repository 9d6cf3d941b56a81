/**
 * The longest time from a push to the first line of a runner, and whose it is. Each push comes at
 * another moment of the requests of the runner.
 */
import { RUNNER_SETTINGS } from '#features/runners/runner-commands.ts'
import { table } from '../forge/table.ts'
import { FetchTimes } from './fetch-times.ts'
import { median } from './sides.ts'
import type { Site } from './site.ts'
import { oneStep, timeLine } from './workflows.ts'

const PUSHES = 12
/** Longer than a request and a pause of a runner with its defaults. */
const MAX_IDLE_MS = 9_000

type Parts = Record<'all' | 'pause' | 'forge' | 'runner', number>

async function partsOf(site: Site, times: FetchTimes, label: string): Promise<Parts> {
  const { at, printed } = await site.firstLine(timeLine(label))
  const { asked, answered } = times.last
  const from = Math.max(at, asked)
  const forge = Math.max(0, answered - from)
  return { all: printed, pause: from - at, forge, runner: printed - (from - at) - forge }
}

async function measure(
  site: Site,
  program: string,
  label: string,
  settings: Readonly<Record<string, string>>,
): Promise<readonly Parts[]> {
  const times = new FetchTimes(site.url)
  const runner = await site.addRunner({ program, label, capacity: 1, settings, url: times.url })
  try {
    await site.run(oneStep(label))
    const taken: Parts[] = []
    for (let n = 0; n < PUSHES; n++) {
      await Bun.sleep((n * MAX_IDLE_MS) / PUSHES)
      taken.push(await partsOf(site, times, label))
    }
    return taken
  } finally {
    await runner.stop('SIGKILL')
    await times.stop()
  }
}

export async function firstLines(site: Site, program: string): Promise<string> {
  const advised = await measure(site, program, 'advised', RUNNER_SETTINGS)
  const usual = await measure(site, program, 'usual', {})
  const row = (name: string, part: keyof Parts, goal = ''): string[] => [
    name,
    ...[advised, usual].flatMap((taken) => {
      const values = taken.map((parts) => parts[part])
      return [median(values).toFixed(0), Math.max(...values).toFixed(0)]
    }),
    goal,
  ]
  return table(
    [
      'Push answered to first line of the runner',
      ...['ms, as the page says', 'longest', 'ms, its defaults', 'longest', 'goal'],
    ],
    [
      row('all', 'all', '300'),
      row('pause of the runner before it asks', 'pause'),
      row('forge, from push and request to the job', 'forge', '300'),
      row('runner, from the job to the line', 'runner'),
    ],
  )
}
