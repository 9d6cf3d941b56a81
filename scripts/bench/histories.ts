/**
 * Processor time and memory of pages, REST and git over the length of a history and over the files
 * of one directory. Each size has a forge of its own. The packs are written by `git fast-import` and
 * put into the store of a stopped forge, which then does its own work on them. After a restart each
 * operation is asked: the first time is told apart from the median of the later ones.
 */
import { Database } from 'bun:sqlite'
import { linkSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { table, whole } from './forge/table.ts'
import { memoryOf } from './forge/memory.ts'
import { median } from './forge/wrk.ts'
import { gitTo } from './git/client.ts'
import { cpuOf, watchMemory } from './git/processes.ts'
import { startHearth, type Hearth } from './git/servers.ts'
import {
  fileOf,
  makeHistory,
  WIDE_DIRECTORY,
  wideFileOf,
  type Shape,
} from './histories/fast-import.ts'
import { EXECUTABLE, requireBuilt } from '../support/forge.ts'
import { OptionError, runScript, type Option } from '../support/options.ts'

const OPTIONS = {
  commits: {
    kind: 'text',
    default: '20000,200000,2000000',
    help: 'Lengths of histories; a commit has five objects. Empty for none.',
  },
  files: {
    kind: 'text',
    default: '5000,50000,500000',
    help: 'Files of one directory. Empty for none.',
  },
  times: { kind: 'count', default: '5', help: 'How often each is asked after the first time.' },
  settle: {
    kind: 'count',
    default: '20',
    help: 'Minutes that the work of the forge on the packs may take.',
  },
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
} as const satisfies Record<string, Option>

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const REPO = 'acme/large'
const OWN_JOBS = `'maintain_store', 'read_ahead', 'keep_search', 'measure_repo'`

type Place = {
  readonly forge: Hearth
  readonly head: string
  /** The tenth commit before it. */
  readonly older: string
  readonly file: string
  readonly folder: string
  readonly scratch: string
}
type Operation = {
  readonly name: string
  readonly run: (place: Place, round: number) => Promise<void>
}

async function ask({ forge }: Place, path: string, body?: unknown): Promise<string> {
  const response = await fetch(`${forge.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${forge.token}`, 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status}: ${text.slice(0, 200)}`)
  return text
}

const page = (name: string, path: (place: Place) => string): Operation => ({
  name,
  run: async (place) => void (await ask(place, `/${REPO}${path(place)}`)),
})
const rest = (
  name: string,
  path: (place: Place) => string,
  body?: (round: number) => unknown,
): Operation => ({
  name,
  run: async (place, round) =>
    void (await ask(place, `/api/v1/repos/${REPO}${path(place)}`, body?.(round))),
})
const clone = (name: string, ...args: string[]): Operation => ({
  name,
  run: async ({ forge, scratch }, round) => {
    const to = join(scratch, `clone-${round}`)
    try {
      await gitTo(forge, 'clone', '-q', '--bare', ...args, forge.address('large'), to)
    } finally {
      rmSync(to, { recursive: true, force: true })
    }
  },
})

const OPERATIONS: readonly Operation[] = [
  page('page of the repository', () => ''),
  page('page of a folder', ({ folder }) => `/tree/main/${folder}`),
  page('page of a file', ({ file }) => `/blob/main/${file}`),
  page('blame', ({ file }) => `/blame/main/${file}?wait=1`),
  page('commits', () => '/commits/main'),
  page('commits, page 100', () => '/commits/main?page=100'),
  page('commits of a file', ({ file }) => `/commits/main/${file}`),
  page('a commit', ({ head }) => `/commit/${head}`),
  page('comparison of ten commits', ({ head, older }) => `/compare/${older}..${head}`),
  page('find a file', () => '/find/main'),
  page('branches', () => '/branches'),
  rest('list_commits', () => '/commits'),
  rest('get_file', ({ file }) => `/contents/${file}`),
  rest('get_tree', ({ folder }) => `/tree/main?path=${folder}`),
  rest(
    'create_commit',
    () => '/commits',
    (round) => ({
      branch: 'main',
      message: `Note ${round}`,
      files: [{ path: `note-${round}.txt`, action: 'put', content: `${round}\n` }],
    }),
  ),
  { name: 'git ls-remote', run: ({ forge }) => gitTo(forge, 'ls-remote', forge.address('large')) },
  clone('git clone --depth 1', '--depth', '1'),
  clone('git clone --depth 1 --filter=blob:none', '--depth', '1', '--filter=blob:none'),
]
const FULL_CLONE = clone('git clone')

/** Waits until the forge has no work of its own left. Gives the seconds; null when it has too much. */
async function settled(data: string, mostMs: number): Promise<number | null> {
  const began = performance.now()
  const db = new Database(join(data, 'hearth.db'), { readonly: true })
  try {
    const left = db.query<{ n: number }, []>(
      `SELECT count(*) AS n FROM jobs WHERE kind IN (${OWN_JOBS}) AND state <> 'failed' AND key IS NOT 'sweep'`,
    )
    while ((left.get()?.n ?? 0) > 0) {
      if (performance.now() - began > mostMs) return null
      await Bun.sleep(500)
    }
    return (performance.now() - began) / 1000
  } finally {
    db.close()
  }
}

type Column = { readonly title: string; readonly cells: ReadonlyMap<string, string> }

async function measure(
  executable: string,
  directory: string,
  { shape, size, times, settleMs }: { shape: Shape; size: number; times: number; settleMs: number },
): Promise<Column> {
  const cells = new Map<string, string>()
  const made = join(directory, 'made.git')
  let began = performance.now()
  const { packs, head: imported, older } = await makeHistory(made, shape, size)
  cells.set('written by git, s', ((performance.now() - began) / 1000).toFixed(0))
  const place = join(directory, 'forge')
  let forge = await startHearth(executable, place)
  await forge.create('large')
  await forge.api('POST', `/repos/${REPO}/commits`, {
    branch: 'main',
    message: 'Begin',
    files: [{ path: 'README.md', action: 'put', content: '# Large\n' }],
  })
  const store = forge.directory('large')
  await forge.stop()
  for (const name of readdirSync(packs))
    if (/\.(pack|idx)$/.test(name))
      linkSync(join(packs, name), join(store, 'objects', 'pack', name))
  const data = join(place, 'data')
  const db = new Database(join(data, 'hearth.db'))
  db.run(`UPDATE refs SET oid = ? WHERE name = 'refs/heads/main'`, [imported])
  db.close()
  const again = async (): Promise<void> => {
    forge = await startHearth(executable, place, { before: forge.token })
  }
  await again()
  // A change through the product makes the forge tidy its store.
  const note = await forge.api<{ sha: string }>('POST', `/repos/${REPO}/commits`, {
    branch: 'main',
    message: 'Go on',
    files: [{ path: 'note.txt', action: 'put', content: 'A note.\n' }],
  })
  rmSync(made, { recursive: true, force: true })
  const mostMemory = watchMemory(forge.pid, 200)
  const before = cpuOf(forge.pid)
  began = performance.now()
  const seconds = await settled(data, settleMs)
  cells.set('own work afterwards, s', seconds === null ? 'not done' : seconds.toFixed(0))
  cells.set('its processor time, s', (cpuOf(forge.pid) - before).toFixed(0))
  cells.set('its most memory, MiB', whole(mostMemory()))
  await forge.stop()
  await again()
  cells.set('memory at rest, MiB', whole(memoryOf(forge.pid).resident))
  const at: Place = {
    forge,
    head: note.sha,
    older,
    file: shape === 'commits' ? fileOf(size - 1) : wideFileOf(Math.floor(size / 2)),
    folder: shape === 'commits' ? 'part-0' : WIDE_DIRECTORY,
    scratch: directory,
  }
  const peak = watchMemory(forge.pid, 100)
  const once = async (run: Operation['run'], round: number): Promise<number> => {
    const start = cpuOf(forge.pid)
    await run(at, round)
    return 1000 * (cpuOf(forge.pid) - start)
  }
  for (const { name, run } of OPERATIONS) {
    try {
      const first = await once(run, 0)
      const later: number[] = []
      for (let round = 1; round <= times; round++) later.push(await once(run, round))
      cells.set(name, `${first.toFixed(0)} / ${median(later).toFixed(1)}`)
    } catch (error) {
      cells.set(name, (error as Error).message.slice(0, 60))
    }
  }
  cells.set(
    FULL_CLONE.name,
    `${(await once(FULL_CLONE.run, 0)).toFixed(0)} / ${(await once(FULL_CLONE.run, 1)).toFixed(0)}`,
  )
  cells.set('most memory of all that, MiB', whole(peak()))
  await forge.stop()
  return { title: `${whole(size)} ${shape}`, cells }
}

const sizesOf = (text: string): number[] =>
  text === ''
    ? []
    : text.split(',').map((part) => {
        const size = Number(part)
        if (!Number.isSafeInteger(size) || size < 100)
          throw new OptionError(`a size is a number from 100 on, not ${part}`)
        return size
      })

if (import.meta.main) {
  await runScript('bun scripts/bench/histories.ts [options]', OPTIONS, async (options) => {
    const executable = requireBuilt(options.executable)
    const shapes: readonly Shape[] = ['commits', 'files']
    say(
      `${availableParallelism()} cores, load of the machine ${loadavg()[0]?.toFixed(1)}; milliseconds of processor time, the first time / the median of ${options.times} later ones`,
    )
    for (const shape of shapes) {
      const columns: Column[] = []
      for (const size of sizesOf(options[shape])) {
        const directory = mkdtempSync(join(tmpdir(), 'hearth-histories-'))
        try {
          const column = await measure(executable, directory, {
            shape,
            size,
            times: Number(options.times),
            settleMs: Number(options.settle) * 60_000,
          })
          columns.push(column)
        } finally {
          rmSync(directory, { recursive: true, force: true })
        }
        const names = [...new Set(columns.flatMap(({ cells }) => [...cells.keys()]))]
        say(
          table(
            ['', ...columns.map(({ title }) => title)],
            names.map((name) => [name, ...columns.map(({ cells }) => cells.get(name) ?? '')]),
          ),
        )
      }
    }
    return 0
  })
}
