/**
 * Forty callers at work in one forge that is ended again and again, and what became of all that.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Random } from '../crash/random.ts'
import { runGit, withToken } from '../../../scripts/support/git.ts'
import { Board, CHECKS, type Place } from './board.ts'
import { Diary } from './diary.ts'
import { Caller, type Door } from './doors.ts'
import { Lives } from './lives.ts'
import { at, Readers } from './readers.ts'
import { Receiver } from './receiver.ts'
import { seedPeople } from './seed.ts'
import { openData, verify, type Verified } from './verify.ts'
import { contribute, merge, pushMain, revert, review, say, tend, type Worker } from './work.ts'

export type SimulationOptions = {
  readonly executable: string
  readonly minutes: number
  readonly seed: number
  /** Goes on until so much of each kind was done, however long that takes. */
  readonly least?: Readonly<Record<string, number>>
  /** How long reads are measured without load. */
  readonly idle_ms?: number
  readonly say?: (line: string) => void
  /** Who is at work; forty callers unless given. */
  readonly cast?: Cast
  /** Where everything goes; a new temporary directory unless given. */
  readonly directory?: string
}

export type Cast = {
  readonly contributors: number
  readonly mergers: number
  readonly agents: readonly (readonly [count: number, door: Door, git: boolean])[]
  readonly automats: number
  readonly tenders: number
  readonly readers: number
  /** The shortest and longest life of the forge between two ends, in milliseconds. */
  readonly life_ms: readonly [number, number]
  /**
   * Share of deliveries that the receiver refuses at first; a refused one comes again a minute
   * later.
   */
  readonly refusals: number
}

export type Report = Verified & {
  readonly directory: string
  readonly promised: Diary['promised']
  readonly counts: ReadonlyMap<string, number>
  readonly ends: { readonly killed: number; readonly stopped: number }
  readonly restart: { readonly median: number; readonly most: number }
  readonly deliveries: { readonly calls: number; readonly refused: number }
  readonly reads: Record<
    'idle' | 'load',
    { readonly count: number; readonly p50: number; readonly p99: number }
  >
  readonly slowest: ReadonlyMap<string, number>
  /** Looks at the disk again. */
  readonly again: () => Promise<Verified>
}

const WORKSPACE = 'acme'
const OWNER = 'ada'
export const FORTY: Cast = {
  contributors: 6,
  mergers: 6,
  agents: [
    [8, 'rest', false],
    [8, 'tools', false],
    [4, 'rest', true],
  ],
  automats: 2,
  tenders: 2,
  readers: 4,
  life_ms: [10_000, 25_000],
  refusals: 0.02,
}
/** Each kind of caller, for a look of seconds. */
export const TEN: Cast = {
  contributors: 2,
  mergers: 2,
  agents: [
    [1, 'rest', false],
    [1, 'tools', false],
    [1, 'rest', true],
  ],
  automats: 1,
  tenders: 1,
  readers: 1,
  life_ms: [2_500, 4_000],
  refusals: 0,
}
/** The moment between two tasks. */
const USUAL_MS = [500, 4_000] as const
const QUICK_MS = [50, 400] as const
const IDLE_MS = 15_000
const LONGEST_DRAIN_MS = 240_000

type Task = (worker: Worker) => Promise<void>
type Weights = readonly (readonly [weight: number, task: Task])[]

const CONTRIBUTES: Weights = [
  [5, contribute],
  [2, review],
  [1, merge],
  [2, say],
]
/** An agent's token does not merge. */
const ASSISTS: Weights = [
  [5, contribute],
  [2, review],
  [2, say],
]
const MERGES: Weights = [
  [12, merge],
  [4, review],
  [1, revert],
  [1, say],
]
const TENDS: Weights = [
  [3, pushMain],
  [2, tend],
  [2, merge],
  [1, revert],
]
const SPEAKS: Weights = [[1, say]]

export async function simulate({
  executable,
  minutes,
  seed,
  least = {},
  idle_ms = IDLE_MS,
  cast = FORTY,
  say: tell = () => {},
  ...given
}: SimulationOptions): Promise<Report> {
  const directory = given.directory ?? mkdtempSync(join(tmpdir(), 'hearth-simulation-'))
  const data = join(directory, 'data')
  const clones = join(directory, 'clones')
  mkdirSync(clones, { recursive: true })
  const random = new Random(seed)
  const diary = new Diary(join(directory, 'diary.jsonl'))
  const receiver = new Receiver(random.branch(), cast.refusals)
  const people = [
    OWNER,
    ...Array.from({ length: cast.contributors }, (_, n) => `dev-${n}`),
    ...Array.from({ length: cast.mergers }, (_, n) => `lead-${n}`),
    ...Array.from({ length: cast.readers }, (_, n) => `reader-${n}`),
  ]
  const secrets = await seedPeople(data, WORKSPACE, people)
  const secretOf = (name: string): string => secrets.get(name) ?? ''
  const lives = new Lives({
    executable,
    data,
    log: join(directory, 'serve.log'),
    // Commands of checks run in a sandbox, which is found like any other program.
    environment: {
      HEARTH_LOG_LEVEL: 'warn',
      HEARTH_OUTBOUND_ALLOW: 'http://127.0.0.1',
      PATH: '/usr/bin:/bin',
    },
  })
  lives.died = (status) => diary.surprise(`the forge ended by itself with status ${status}`)
  const places: readonly Place[] = (['plain', 'strict', 'checked', 'queued'] as const).map(
    (kind) => ({
      repo: `${WORKSPACE}/${kind}`,
      kind,
      checks: kind === 'checked' || kind === 'queued' ? CHECKS : [],
    }),
  )
  const board = new Board(places)
  try {
    await lives.begin()
    const owner = new Caller(OWNER, secretOf(OWNER), 'rest', lives, diary)
    for (const place of places) await prepare(owner, place, receiver, clones)
    const workers = await hire(owner, cast, places, board, random, clones, secretOf, lives, diary)
    const readers = new Readers(
      lives,
      board,
      Array.from({ length: cast.readers }, (_, n) => secretOf(`reader-${n}`)),
      random.branch(),
    )
    tell(`seed ${seed}: ${workers.length + cast.readers} callers in ${places.length} repositories`)

    let going = true
    const work = Promise.all(
      workers.map(({ worker, weights }) => keepAt(worker, weights, () => going)),
    )
    readers.begin()
    const load = readers.measure()
    const until = performance.now() + minutes * 60_000
    const isEnough = () =>
      Object.entries(least).every(([what, count]) => (diary.counts.get(what) ?? 0) >= count)
    while (performance.now() < until || !isEnough()) {
      await Bun.sleep(
        Math.min(
          random.between(...cast.life_ms),
          Math.max(cast.life_ms[0] / 2, until - performance.now()),
        ),
      )
      const wrong = await lives.end(random.chance(0.6) ? 'kill' : 'stop')
      if (wrong !== null) diary.surprise(wrong)
      await lives.begin()
      tell(
        `${Math.round((until - performance.now()) / 1000)} s left: ${inWords(diary.counts)}${diary.surprises.length > 0 ? `; ${diary.surprises.length} surprises, such as ${diary.surprises.at(-1)}` : ''}`,
      )
    }
    going = false
    await work
    readers.rest()
    const slowest = new Map(readers.slowest)
    tell(`all have stopped: ${inWords(diary.counts)}`)
    await drain(data, diary)
    const idle = readers.measure()
    await Bun.sleep(idle_ms)
    await readers.end()
    for (const problem of readers.problems) diary.surprise(problem)
    const wrong = await lives.end('stop')
    if (wrong !== null) diary.surprise(wrong)
    const again = () => verify(data, directory, diary, board, receiver)
    return {
      ...(await again()),
      again,
      directory,
      promised: diary.promised,
      counts: diary.counts,
      ends: lives.ends,
      deliveries: { calls: receiver.calls, refused: receiver.refused },
      slowest,
      restart: { median: at(lives.starts, 0.5), most: at(lives.starts, 1) },
      reads: {
        idle: { count: idle.length, p50: at(idle, 0.5), p99: at(idle, 0.99) },
        load: { count: load.length, p50: at(load, 0.5), p99: at(load, 0.99) },
      },
    }
  } finally {
    await lives.end('kill')
    await receiver.stop()
    rmSync(clones, { recursive: true, force: true })
  }
}

async function prepare(
  owner: Caller,
  { repo, kind }: Place,
  receiver: Receiver,
  clones: string,
): Promise<void> {
  await owner.must('create_repo', { workspace: WORKSPACE, name: kind, private: kind !== 'plain' })
  const hook = (place: string, name: string, events: readonly string[]) =>
    owner
      .must('create_webhook', { place, url: receiver.url(name), events })
      .then((made) => void receiver.secrets.set(name, String(made?.secret)))
  if (kind === 'plain') await hook(`workspaces/${WORKSPACE}`, 'all', [])
  await hook(`repos/${repo}`, kind, ['git.push', 'pull.merged', 'queue.changed', 'agent.asked'])
  const clone = join(clones, `seed-${kind}`)
  mkdirSync(clone, { recursive: true })
  await Bun.write(join(clone, 'README.md'), `# ${kind}\n`)
  for (let n = 0; n < 6; n++) await Bun.write(join(clone, 'shared', `${n}.txt`), 'nobody yet\n')
  const { url } = await owner.lives.now()
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '.'],
    ['commit', '-q', '-m', 'Begin'],
    ['push', '-q', withToken(`${url}/${repo}.git`, owner.token), 'main'],
  ]) {
    const { status, error } = await runGit(clone, args)
    if (status !== 0) throw new Error(`git ${args[0]}: ${error}`)
  }
  await owner.must('update_repo_settings', {
    repo,
    require_up_to_date: kind === 'strict' || kind === 'checked',
    required_approvals: kind === 'strict' ? 1 : 0,
    merge_queue: kind === 'queued',
    default_merge_method: 'merge',
  })
  const rules = (
    name: string,
    include: string[],
    types: readonly string[],
    enforcement = 'active',
  ) =>
    owner.must('create_ruleset', {
      repo,
      name,
      enforcement,
      target: 'branch',
      conditions: { ref_name: { include, exclude: [] } },
      rules: types.map((type) => ({ type, parameters: {} })),
    })
  await rules('Locked', ['locked/*'], ['creation'])
  if (kind === 'strict')
    await rules(
      'By pull request',
      ['~DEFAULT_BRANCH'],
      ['pull_request', 'non_fast_forward', 'deletion'],
    )
  if (kind === 'plain') await rules('Watched', ['~ALL'], ['pull_request'], 'evaluate')
}

type Hired = { readonly worker: Worker; readonly weights: Weights }

async function hire(
  owner: Caller,
  cast: Cast,
  places: readonly Place[],
  board: Board,
  random: Random,
  directory: string,
  secretOf: (name: string) => string,
  lives: Lives,
  diary: Diary,
): Promise<Hired[]> {
  const hired: Hired[] = []
  const add = (
    name: string,
    token: string,
    door: Door,
    git: boolean,
    at: readonly Place[],
    weights: Weights,
  ) =>
    void hired.push({
      worker: {
        caller: new Caller(name, token, door, lives, diary),
        random: random.branch(),
        board,
        places: at,
        git,
        directory,
      },
      weights,
    })
  for (let n = 0; n < cast.contributors; n++)
    add(`dev-${n}`, secretOf(`dev-${n}`), 'rest', true, places, CONTRIBUTES)
  for (let n = 0; n < cast.mergers; n++)
    add(`lead-${n}`, secretOf(`lead-${n}`), n % 2 === 0 ? 'rest' : 'tools', false, places, MERGES)
  for (let n = 0; n < cast.tenders; n++)
    add(`tender-${n}`, owner.token, 'rest', true, places, TENDS)
  let serial = 0
  for (const [count, door, git] of cast.agents) {
    for (let n = 0; n < count; n++, serial++) {
      const place = places[serial % places.length]
      if (!place) continue
      const made = await owner.must('create_agent', { repo: place.repo, name: `bot-${serial}` })
      const { secret } = (made?.token ?? {}) as { secret?: string }
      add(`bot-${serial}`, secret ?? '', door, git, [place], ASSISTS)
    }
  }
  for (let n = 0; n < cast.automats; n++) {
    const made = await owner.must('create_workspace_token', {
      workspace: WORKSPACE,
      name: `automat-${n}`,
      scopes: ['repo:read', 'issues:write', 'pulls:write'],
      role: 'write',
    })
    const token = (made?.token ?? {}) as { secret?: string }
    add(`automat-${n}`, String(made?.secret ?? token.secret), 'rest', false, places, SPEAKS)
  }
  return hired
}

/** Takes one task after the other, with a moment between them. */
async function keepAt(worker: Worker, weights: Weights, going: () => boolean): Promise<void> {
  const sum = weights.reduce((all, [weight]) => all + weight, 0)
  while (going()) {
    let chosen = worker.random.between(0, sum)
    const task = weights.find(([weight]) => (chosen -= weight) < 0)?.[1] ?? weights[0]?.[1]
    try {
      await task?.(worker)
    } catch (error) {
      worker.caller.diary.surprise(
        `${worker.caller.name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      )
    }
    const [least, most] = weights === MERGES ? QUICK_MS : USUAL_MS
    await Bun.sleep(worker.random.between(least, most))
  }
}

/** Waits until nothing is on its way: deliveries, the queue, checks. */
async function drain(data: string, diary: Diary): Promise<void> {
  const { db, ask } = openData(data)
  try {
    const waiting = () => ({
      deliveries: ask(`SELECT 1 FROM webhook_deliveries WHERE state IN ('sent', 'waiting')`).length,
      queue: ask('SELECT 1 FROM queue_entries WHERE place IS NOT NULL').length,
      checks: ask(`SELECT 1 FROM check_runs WHERE state IN ('queued', 'running')`).length,
    })
    const end = performance.now() + LONGEST_DRAIN_MS
    for (let left = waiting(); Object.values(left).some((count) => count > 0); left = waiting()) {
      if (performance.now() > end)
        return diary.surprise(
          `after ${LONGEST_DRAIN_MS / 1000} seconds without new work there are still ${JSON.stringify(left)}`,
        )
      await Bun.sleep(500)
    }
  } finally {
    db.close()
  }
}

export const inWords = (counts: ReadonlyMap<string, number>): string =>
  [...counts].map(([what, count]) => `${count} ${what}`).join(', ')
