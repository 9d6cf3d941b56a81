/** What a push that starts nothing costs beside the same executable built without workflows. */
import { ratio, table } from '../forge/table.ts'
import { ROOT } from '../../support/forge.ts'
import { median } from './sides.ts'
import type { Site } from './site.ts'

const WARM_UP_PUSHES = 40

export async function buildWithout(outfile: string): Promise<void> {
  const entry = 'scripts/bench/runs/without-workflows.ts'
  const built = Bun.spawn(
    [process.execPath, 'scripts/build.ts', '--entry', entry, '--outfile', outfile],
    { cwd: ROOT, stdout: 'ignore', stderr: 'inherit' },
  )
  if ((await built.exited) !== 0) throw new Error('it could not be built without workflows')
}

/** Milliseconds of processor time of a push: one push to each side in turn. */
export async function comparePushes(
  sides: readonly [Site, Site],
  rounds: number,
  pushes: number,
): Promise<string> {
  for (let n = 0; n < WARM_UP_PUSHES; n++) for (const side of sides) await side.push()
  const used: [number, number][] = []
  for (let round = 0; round < rounds; round++) {
    const before = sides.map(({ cpuSeconds }) => cpuSeconds)
    for (let n = 0; n < pushes; n++)
      for (const side of n % 2 === 0 ? sides : sides.toReversed()) await side.push()
    const of = (at: 0 | 1): number => ((sides[at].cpuSeconds - (before[at] ?? 0)) * 1_000) / pushes
    used.push([of(0), of(1)])
  }
  const ratios = used.map(([a, b]) => a / b).toSorted((a, b) => a - b)
  return table(
    ['A push that starts nothing', 'ms', 'without workflows', 'ratio', 'from', 'to', 'goal'],
    [
      [
        'processor time of the forge',
        median(used.map(([a]) => a)).toFixed(1),
        median(used.map(([, b]) => b)).toFixed(1),
        ratio(median(ratios)),
        ratio(ratios[0] ?? 0),
        ratio(ratios.at(-1) ?? 0),
        '1.02',
      ],
    ],
  )
}
