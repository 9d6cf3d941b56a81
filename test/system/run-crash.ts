/**
 * Proves that runs of workflows survive `kill -9` of the forge in every state: each ends, once, and
 * no line of a log that was read is lost. A job that only read runs again; one that may have
 * written has failed.
 */
import { allPoints, nameOf, runStory, type Point } from './run-crash/story.ts'
import { EXECUTABLE, requireBuilt } from '../../scripts/support/forge.ts'
import { runScript, type Option } from '../../scripts/support/options.ts'

const OPTIONS = {
  only: { kind: 'text', default: '', help: 'Points whose name has this text.' },
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
} as const satisfies Record<string, Option>

/** What is wrong after a kill at each of these points; empty when nothing is. */
export async function runCrashes(
  executable: string,
  points: readonly Point[],
  say: (line: string) => void = () => {},
): Promise<string[]> {
  const faults: string[] = []
  for (const point of points) {
    const found = await runStory(executable, point)
    say(`${nameOf(point)}: ${found.length === 0 ? 'ok' : found.join('; ')}`)
    faults.push(...found.map((fault) => `${nameOf(point)}: ${fault}`))
  }
  return faults
}

if (import.meta.main) {
  await runScript('bun test/system/run-crash.ts [options]', OPTIONS, async (options) => {
    const points = allPoints().filter((point) => nameOf(point).includes(options.only))
    const faults = await runCrashes(requireBuilt(options.executable), points, (line) =>
      process.stdout.write(`${line}\n`),
    )
    for (const fault of faults) process.stdout.write(`  ${fault}\n`)
    process.stdout.write(`${points.length} points; ${faults.length} faults\n`)
    return faults.length === 0 ? 0 : 1
  })
}
