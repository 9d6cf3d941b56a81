/**
 * Proves that the built-in agent's work survives `kill -9` at every point of its story: the same
 * end, no entry missing or twice, and the money exact. A first run without a kill says what the end
 * is.
 */
import {
  allPoints,
  nameOf,
  runStory,
  runStoryUntilKilled,
  type Ending,
  type Point,
} from './agent-crash/story.ts'
import { EXECUTABLE, requireBuilt } from '../../scripts/support/forge.ts'
import { runScript, type Option } from '../../scripts/support/options.ts'

const OPTIONS = {
  only: { kind: 'text', default: '', help: 'Points whose name has this text.' },
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
} as const satisfies Record<string, Option>

export type { Point }

/** What is wrong after a kill at each of these points; empty when all ends are the same. */
export async function agentCrashes(
  executable: string,
  points: readonly Point[],
  say: (line: string) => void = () => {},
): Promise<string[]> {
  const expected = await runStory(executable, null)
  const faults = expected.problems.map((problem) => `without a kill: ${problem}`)
  say(`without a kill: ${expected.entries.length} entries, ${expected.commits} commits`)
  // Nothing can be compared with an end that is wrong itself.
  if (faults.length > 0) return faults
  for (const point of points) {
    const { point: tried, ending } = await runStoryUntilKilled(executable, point)
    const name =
      tried === point ? nameOf(point) : `${nameOf(point)}, for which ${nameOf(tried)} was tried`
    const found = [
      ...(ending.isReached ? [] : ['the point was never reached']),
      ...ending.problems,
      ...differences(expected, ending),
    ]
    say(`${name}: ${found.length === 0 ? 'the same end' : found.join('; ')}`)
    faults.push(...found.map((fault) => `${name}: ${fault}`))
  }
  return faults
}

const differences = (expected: Ending, ending: Ending): string[] =>
  (['status', 'state', 'commits', 'checks', 'entries'] as const).flatMap((name) => {
    const [a, b] = [JSON.stringify(expected[name]), JSON.stringify(ending[name])]
    return a === b ? [] : [`${name} ${b}, not ${a}`]
  })

if (import.meta.main) {
  await runScript('bun test/system/agent-crash.ts [options]', OPTIONS, async (options) => {
    const points = allPoints().filter((point) => nameOf(point).includes(options.only))
    const faults = await agentCrashes(requireBuilt(options.executable), points, (line) =>
      process.stdout.write(`${line}\n`),
    )
    for (const fault of faults) process.stdout.write(`  ${fault}\n`)
    process.stdout.write(`${points.length} points; ${faults.length} faults\n`)
    return faults.length === 0 ? 0 : 1
  })
}
