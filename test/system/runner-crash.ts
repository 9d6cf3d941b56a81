/**
 * Proves that faults between a real runner (Gitea's, `--runner PATH`) and the forge lose no job and
 * no result: the runner or the forge is killed with -9 in each state of a job, or an answer is lost.
 * Each run ends, once, and says clearly why.
 */
import { resolve } from 'node:path'
import { EXECUTABLE, requireBuilt } from '../../scripts/support/forge.ts'
import { runScript, type Option } from '../../scripts/support/options.ts'
import { allPoints, nameOf, type Point } from './runner-crash/points.ts'
import { runStory } from './runner-crash/story.ts'

const OPTIONS = {
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
  runner: { kind: 'text', default: '', help: 'The program of the runner.' },
  only: { kind: 'text', default: '', help: 'Points whose name has this text.' },
  at_once: { kind: 'count', default: '4', help: 'Points that are tried at the same time.' },
  verbose: {
    kind: 'flag',
    default: '',
    help: 'Print the log of the runner when something is wrong.',
  },
} as const satisfies Record<string, Option>

await runScript('bun test/system/runner-crash.ts --runner PATH', OPTIONS, async (options) => {
  const executable = requireBuilt(options.executable)
  const program = resolve(options.runner)
  const points = allPoints().filter((point) => nameOf(point).includes(options.only))
  const queue = [...points]
  let faults = 0
  const work = async (): Promise<void> => {
    for (let point: Point | undefined; (point = queue.shift()) !== undefined; ) {
      const began = performance.now()
      const found = await runStory(executable, program, point, options.verbose !== '')
      faults += found.length
      const seconds = Math.round((performance.now() - began) / 1000)
      const said = found.length === 0 ? 'ok' : found.join('; ')
      process.stdout.write(`${nameOf(point)} (${seconds} s): ${said}\n`)
    }
  }
  await Promise.all(Array.from({ length: Number(options.at_once) }, work))
  process.stdout.write(`${points.length} points; ${faults} faults\n`)
  return faults === 0 ? 0 : 1
})
