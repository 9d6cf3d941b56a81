/**
 * Measures fetching and pushing beside git's own server in one run, in turn: `git http-backend`
 * with bitmaps and commit-graph behind lighttpd (pushes of whole repositories: Apache, which hands
 * bodies on as they come). Both ask for a password and check every object that comes. The client is
 * git; the forge is the executable with all its doors and its database.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { gitTo } from './git/client.ts'
import { forkCost } from './git/fork.ts'
import { raceIndexing } from './git/indexing.ts'
import { memoryReport } from './git/memory.ts'
import { cpuOf } from './git/processes.ts'
import { race, type Result } from './git/race.ts'
import { lineOf, tableOf, writeGuide } from './git/report.ts'
import { clientsAt, copyOf, describe, generate, type Repository } from './git/repositories.ts'
import { SCENARIOS, addManyRefs, scenariosOf, type Clients } from './git/scenarios.ts'
import { startGit, startHearth, type Hearth, type Server } from './git/servers.ts'
import { raceWholePush } from './git/whole-push.ts'
import { EXECUTABLE, ROOT, requireBuilt } from '../support/forge.ts'
import { runScript, type Option } from '../support/options.ts'

const OPTIONS = {
  repo: {
    kind: 'text',
    default: '',
    help: 'A repository to serve; may be given several times. Without it, three are made.',
  },
  sizes: { kind: 'text', default: '10,150,300', help: 'MB of the repositories that are made.' },
  rounds: {
    kind: 'count',
    default: '5',
    help: 'Measurements of each scenario on each side; medians are shown.',
  },
  only: {
    kind: 'text',
    default: '',
    help: 'Only scenarios whose name holds one of these, between commas; `peak memory` is one, and `fork`.',
  },
  prepared: {
    kind: 'text',
    default: '',
    help: 'A directory where prepared repositories are kept for the next run.',
  },
  now: {
    kind: 'flag',
    default: '',
    help: 'Does not wait for what a first push leaves for ten minutes later. That falls into a longer run.',
  },
  quick: { kind: 'flag', default: '', help: 'One small repository and three rounds.' },
  memory: {
    kind: 'flag',
    default: '',
    help: 'Measures memory and the waiting of others under load instead.',
  },
  megabytes: {
    kind: 'text',
    default: '300,2000',
    help: 'MB of the packs that are pushed to measure memory; without --memory only the first.',
  },
  'write-guide': { kind: 'flag', default: '', help: 'Writes the table into the guide.' },
  beside: {
    kind: 'text',
    default: '',
    help: 'Another executable of Hearth to compare with, in place of git: how much a change costs.',
  },
  source: {
    kind: 'flag',
    default: '',
    help: 'Runs the forge from the source instead of the executable.',
  },
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
} as const satisfies Record<string, Option>

/** `--repo` may come several times: the command line is read with all of them as one. */
function gatherRepos(): void {
  const repos: string[] = []
  const rest: string[] = []
  for (let at = 2; at < process.argv.length; at++) {
    if (process.argv[at] === '--repo') repos.push(resolve(process.argv[++at] ?? ''))
    else rest.push(process.argv[at] ?? '')
  }
  process.argv.splice(
    2,
    Infinity,
    ...rest,
    ...(repos.length > 0 ? ['--repo', repos.join('\n')] : []),
  )
}

/** What needs repositories that are served and in order; the rest brings its own servers. */
const SERVED = [...SCENARIOS, 'first fetch after a start', 'fork']

const say = (text: string): void => void process.stdout.write(`${text}\n`)

/** Copies of what is served, as git's own maintenance would leave them. */
async function prepare(
  sources: readonly string[],
  sizes: readonly number[],
  directory: string,
): Promise<Repository[]> {
  mkdirSync(directory, { recursive: true })
  const made: Repository[] = []
  const add = async (name: string, make: (path: string) => Promise<void>) => {
    const path = join(directory, `${name}.git`)
    if (!existsSync(join(path, 'packed-refs'))) {
      rmSync(path, { recursive: true, force: true })
      await make(path)
    }
    const one = await describe(path)
    say(`${one.name}: ${one.objects} objects, ${(one.bytes / 1e6).toFixed(0)} MB`)
    made.push(one)
  }
  // A folder may be called after the owner and the repository, with the files in one called `repo`.
  const nameOf = (source: string): string =>
    basename(source.replace(/\/(repo|\.git|repo\.git)\/?$/, '')).replace(/^.*\+|\.git$/g, '')
  for (const source of sources) await add(nameOf(source), (path) => copyOf(source, path))
  if (sources.length === 0)
    for (const size of sizes) await add(`made-${size}mb`, (path) => generate(path, size))
  return made
}

/** Waits until the forge has put a repository in order, as it does some time after a push. */
async function inOrder(hearth: Hearth, name: string): Promise<void> {
  const packs = join(hearth.directory(name), 'objects', 'pack')
  for (let waited = 0; waited < 600; waited++) {
    if (readdirSync(packs).some((file) => file.endsWith('.bitmap'))) return
    await Bun.sleep(500)
  }
  throw new Error(`${packs} got no bitmap`)
}

/** Seconds of processor time, of five, below which the forge is at rest. */
const RESTING = 0.1
const MOST_LOOKS = 240
/**
 * The job that looks through what came in a large push for collisions of SHA-1, ten minutes later.
 */
const LATER = 'find_sha1_collisions'

/** Waits until what large pushes leave for later is done: it would fall into what is measured. */
async function nothingLeft(hearth: Hearth): Promise<void> {
  while (hearth.jobs(LATER) > 0) await Bun.sleep(1000)
}

/**
 * Waits until what large pushes set off in the background is done: it would count for what is
 * measured meanwhile.
 */
async function atRest(hearth: Hearth): Promise<void> {
  const began = performance.now()
  for (let [calm, looks] = [0, 0]; calm < 2 && looks < MOST_LOOKS; looks++) {
    const used = cpuOf(hearth.pid)
    await Bun.sleep(5000)
    calm = cpuOf(hearth.pid) - used < RESTING ? calm + 1 : 0
  }
  say(
    `the forge is at rest ${Math.round((performance.now() - began) / 1000)} s after all is in order`,
  )
}

async function pushTo(name: string, path: string, hearth: Hearth): Promise<void> {
  await hearth.create(name)
  await gitTo(hearth, '-C', path, 'push', '-q', '--mirror', hearth.address(name))
}

/**
 * Fills a repository of the forge by pushing, and git's server with the very files that git made.
 */
async function serve(name: string, path: string, hearth: Hearth, root: string): Promise<void> {
  await pushTo(name, path, hearth)
  await Bun.$`cp -r ${path} ${join(root, `${name}.git`)}`.quiet()
}

gatherRepos()
await runScript('bun scripts/bench/git.ts [options]', OPTIONS, async (options) => {
  const began = performance.now()
  const rounds = options.quick ? 3 : Math.max(1, Number(options.rounds))
  const directory = mkdtempSync(join(tmpdir(), 'hearth-bench-git-'))
  chmodSync(directory, 0o755)
  const executable = options.source
    ? join(directory, 'hearth')
    : requireBuilt(resolve(options.executable))
  if (options.source)
    writeFileSync(
      executable,
      `#!/bin/sh\ncd ${ROOT} && exec ${process.execPath} src/main.ts "$@"\n`,
      { mode: 0o755 },
    )
  const stops: (() => Promise<void>)[] = []
  const end = async (): Promise<void> => {
    await Promise.all(stops.splice(0).map((stop) => stop()))
    rmSync(directory, { recursive: true, force: true })
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => void end().finally(() => process.exit(1)))
  try {
    if (options.memory) {
      for (const size of options.megabytes.split(',').map(Number))
        say(await memoryReport(executable, join(directory, `memory-${size}`), size))
      return 0
    }
    const sources = options.repo === '' ? [] : options.repo.split('\n')
    const sizes = options.quick ? [10] : options.sizes.split(',').map(Number)
    const repositories = await prepare(
      sources,
      sizes,
      options.prepared === '' ? join(directory, 'prepared') : resolve(options.prepared),
    )
    const wanted = (name: string): boolean =>
      options.only === '' || options.only.split(',').some((part) => name.includes(part))
    const results: Result[] = []
    /** What fails is told and left out; the rest is measured all the same. */
    let failures = 0
    const attempt = async <R>(what: string, work: () => Promise<R>): Promise<R | null> => {
      try {
        return await work()
      } catch (error) {
        failures++
        say(`${what} FAILED: ${error instanceof Error ? error.message : String(error)}`)
        return null
      }
    }
    const note = async (what: string, measured: () => Promise<Result>): Promise<void> => {
      const result = await attempt(what, measured)
      if (result === null) return
      results.push(result)
      say(lineOf(result))
    }

    const hearth = await startHearth(executable, join(directory, 'hearth-data'))
    stops.push(() => hearth.stop())
    const beside =
      options.beside === ''
        ? null
        : await startHearth(requireBuilt(resolve(options.beside)), join(directory, 'beside-data'), {
            name: 'beside',
          })
    const peer =
      beside ??
      (await startGit('lighttpd', join(directory, 'git-root'), join(directory, 'lighttpd')))
    stops.push(() => peer.stop())
    const [smallest] = repositories
    if (!smallest) return 2
    const root = join(directory, 'git-root')
    mkdirSync(root, { recursive: true })
    if (!beside && wanted('ls-remote')) {
      await serve('many', smallest.path, hearth, root)
      await addManyRefs(smallest.path, join(root, 'many.git'), hearth, 'many', directory)
    }
    const serving = SERVED.some(wanted) ? repositories : []
    const served: Repository[] = []
    for (const repository of serving) {
      const { name, path } = repository
      if (
        (await attempt(
          `${name}: the first push`,
          async () => (
            await serve(name, path, hearth, root),
            beside && (await pushTo(name, path, beside)),
            true
          ),
        )) !== null
      )
        served.push(repository)
    }
    const races = [...SCENARIOS, 'first fetch after a start'].some(wanted)
    // A fork is as quick while its store waits to be put in order.
    for (const { name } of races ? served : []) {
      await inOrder(hearth, name)
      if (beside) await inOrder(beside, name)
    }
    if (races && served.length > 0) {
      if (options.now === '' && options.quick === '') await nothingLeft(hearth)
      await atRest(hearth)
      if (beside) await atRest(beside)
    }

    for (const repository of served) {
      const { name, path, branch } = repository
      const fork = async (): Promise<void> =>
        void (wanted('fork') && say(await forkCost(hearth, repository)))
      if (!races) {
        await fork()
        continue
      }
      const at = join(directory, 'clients', name)
      mkdirSync(at, { recursive: true })
      const clients: Clients = {
        one: join(at, 'one'),
        hundred: join(at, 'hundred'),
        now: join(at, 'now'),
      }
      const { behind, tip } = repository
      await clientsAt(path, branch, [
        { path: clients.hundred, commit: behind.hundred },
        { path: clients.one, commit: behind.one },
        { path: clients.now, commit: tip },
      ])
      for (const scenario of scenariosOf(repository, clients, at)) {
        if (wanted(scenario.name))
          await note(`${name}: ${scenario.name}`, () =>
            race(scenario, name, [hearth, peer], rounds),
          )
      }
      const first = scenariosOf(repository, clients, at).find(
        ({ name: one }) => one === 'fetch of 1 commit',
      )
      if (first && wanted('first fetch after a start')) {
        const restart = async (server: Server): Promise<void> => {
          if (server === hearth) await hearth.restart()
          else await beside?.restart()
        }
        const before = async (server: Server, round: number): Promise<void> => {
          await restart(server)
          await first.before?.(server, round)
        }
        // Without the push before it: the very first thing that a new process is asked for.
        await note(`${name}: first fetch`, () =>
          race(
            { name: 'first fetch after a start', repeat: 1, cold: true, before, run: first.run },
            name,
            [hearth, peer],
            rounds,
          ),
        )
      }
      await fork()
      rmSync(at, { recursive: true, force: true })
    }
    if (!beside && wanted('ls-remote')) {
      const list = {
        name: 'ls-remote of 10,000 refs',
        repeat: 10,
        run: (server: Server) => gitTo(server, 'ls-remote', server.address('many')),
      }
      await note('ls-remote', () => race(list, smallest.name, [hearth, peer], rounds))
    }
    for (const stop of stops.splice(0)) await stop()
    for (const repository of repositories) {
      if (wanted('push of everything'))
        await note(`${repository.name}: push of everything`, () =>
          raceWholePush(executable, repository, join(directory, 'whole'), rounds),
        )
      if (wanted('index of the pack'))
        await note(`${repository.name}: index of the pack`, () =>
          raceIndexing(repository, join(directory, 'indexing'), rounds),
        )
    }
    const size = Number(options.megabytes.split(',')[0])
    const memory = wanted('peak memory')
      ? await attempt('peak memory', () =>
          memoryReport(executable, join(directory, 'memory'), size),
        )
      : null
    if (memory !== null) say(memory)
    const caption = `Ratios to git's own server of waiting, of the server's processor time and of the most memory of its processes, with our wait in brackets: ${availableParallelism()} cores, medians of ${rounds} rounds in turns, measured in ${Math.ceil((performance.now() - began) / 60_000)} minutes.`
    const text = [
      caption,
      tableOf(results, repositories),
      ...(memory === null
        ? []
        : [`Memory and the wait of small requests: ${memory.split('\n').join('. ')}.`]),
    ].join('\n\n')
    say(`\n${text}`)
    if (options['write-guide']) writeGuide(text)
    return failures === 0 ? 0 : 1
  } finally {
    await end()
  }
})
