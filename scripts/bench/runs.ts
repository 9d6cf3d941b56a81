/**
 * Runs of workflows as ratios, both sides in turn in one run: a push that starts nothing beside the
 * same executable built without workflows (processor time of the forge); jobs, steps and lines of
 * logs beside bash alone, and with `--runner PATH` beside a real runner (Gitea's or Forgejo's) that
 * takes jobs of the same forge.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { EXECUTABLE, requireBuilt } from '../support/forge.ts'
import { runScript, type Option } from '../support/options.ts'
import { besideRunner } from './runs/beside-runner.ts'
import { measureBusyForge } from './runs/busy-forge.ts'
import { firstLines } from './runs/first-lines.ts'
import { buildWithout, comparePushes } from './runs/pushes.ts'
import { Site } from './runs/site.ts'
import { besideAlone } from './runs/walls.ts'

const OPTIONS = {
  rounds: { kind: 'count', default: '9', help: 'How often everything is measured.' },
  pushes: { kind: 'count', default: '40', help: 'Pushes of a round.' },
  lines: { kind: 'count', default: '200000', help: 'Lines of the long log.' },
  only: {
    kind: 'text',
    default: '',
    help: 'push, jobs, pages, runner or first-line; all unless given.',
  },
  runner: { kind: 'text', default: '', help: 'The program of a runner.' },
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
} as const satisfies Record<string, Option>

const MAX_ROUNDS_OF_JOBS = 5

await runScript('bun scripts/bench/runs.ts [options]', OPTIONS, async (options) => {
  const executable = requireBuilt(options.executable)
  const directory = mkdtempSync(join(tmpdir(), 'hearth-bench-runs-'))
  const sites: Site[] = []
  const [rounds, lines] = [Number(options.rounds), Number(options.lines)]
  const roundsOfJobs = Math.min(rounds, MAX_ROUNDS_OF_JOBS)
  const open = async (name: string, program = executable, network = 'none'): Promise<Site> => {
    const environment = { HEARTH_JOBS_NETWORK: network }
    const site = await Site.open(program, join(directory, name), environment)
    sites.push(site)
    return site
  }
  const say = (text: string): void => void process.stdout.write(`${text}\n`)
  const isWanted = (part: string): boolean => options.only === '' || options.only === part
  try {
    if (isWanted('push')) {
      const without = join(directory, 'without')
      await buildWithout(without)
      const sides = [await open('with'), await open('without-workflows', without)] as const
      say(await comparePushes(sides, rounds, Number(options.pushes)))
    }
    if (isWanted('jobs')) {
      const withInternet = await open('internet', executable, 'internet')
      say(await besideAlone(await open('jobs'), withInternet, roundsOfJobs, lines))
    }
    if (isWanted('pages')) say(await measureBusyForge(await open('pages')))
    const wantsRunner = isWanted('runner')
    const wantsFirstLine = isWanted('first-line')
    if ((wantsRunner || wantsFirstLine) && options.runner === '') {
      say('Rows of a real runner are left out: --runner PATH names none.')
      return 0
    }
    const program = resolve(options.runner)
    if (wantsRunner) say(await besideRunner(await open('runner'), program, roundsOfJobs, lines))
    if (wantsFirstLine) say(await firstLines(await open('first-line'), program))
    return 0
  } finally {
    for (const site of sites) await site.stop()
    rmSync(directory, { recursive: true, force: true })
  }
})
