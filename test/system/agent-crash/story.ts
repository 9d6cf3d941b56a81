/**
 * One issue from its opening to the merge of what the built-in agent made of it: a check fails once,
 * and the agent mends it. The forge is killed at one point, started again, and the story goes on.
 */
import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beginForge, claim, type ForgeProcess } from '../../../scripts/support/forge.ts'
import { startModel, type Moment, type ToolCall } from './model.ts'

const REPO = 'acme/site'
const CHECK = 'sh test.sh'
const POLL_MS = 50
const MAX_STORY_MS = 120_000

const SCRIPT: readonly ToolCall[] = [
  { name: 'edit', input: { path: 'add.js', old: 'a - b', new: 'a + b' } },
  { name: 'submit', input: { message: 'Add instead of subtracting' } },
  { name: 'finish', input: { summary: 'It adds.' } },
  { name: 'write', input: { path: 'strict.txt', content: 'yes\n' } },
  { name: 'submit', input: { message: 'Be strict' } },
  { name: 'finish', input: { summary: 'It adds, strictly.' } },
]
/** While the agent finishes, the base gets a test that its change fails. */
const STEP_OF_NEW_TEST = 2
/** The first answer after the failed check. */
const STEP_OF_MENDING = 3

/** Where the forge is killed: at an answer of the model, or once the driver has seen a state. */
export type Point =
  | { readonly step: number; readonly moment: Moment; readonly delay_ms: number }
  | { readonly seen: 'issue' | 'draft' | 'ready' | 'failed check' | 'merge' }

export const nameOf = (point: Point): string =>
  'seen' in point
    ? point.seen
    : `${SCRIPT[point.step]?.name} (call ${point.step + 1}) ${point.moment}${point.delay_ms > 0 ? ` +${point.delay_ms} ms` : ''}`

export const allPoints = (): Point[] => [
  ...(['issue', 'draft', 'ready', 'failed check', 'merge'] as const).map((seen) => ({ seen })),
  ...SCRIPT.flatMap((_, step): Point[] => [
    { step, moment: 'before', delay_ms: 0 },
    { step, moment: 'within', delay_ms: 0 },
    ...[0, 2, 5, 10, 20, 50, 100, 200].map((delay_ms) => ({
      step,
      moment: 'after' as const,
      delay_ms,
    })),
  ]),
]

/** What a story ends with, without what differs from run to run. */
export type Ending = {
  readonly status: string
  readonly state: string
  readonly commits: number
  /** Of the agent and of people, in their order. */
  readonly entries: readonly string[]
  /** Results of checks, which run beside the agent. */
  readonly checks: number
  readonly problems: readonly string[]
  /** Whether the forge was killed before the story ended. */
  readonly isReached: boolean
}

class Story {
  #forge: ForgeProcess | null = null
  #token = ''
  #killed = false
  readonly #hasKilled = Promise.withResolvers<void>()
  /** What was seen last. */
  #last = ''
  #restarting: Promise<void> | null = null
  readonly #directory = mkdtempSync(join(tmpdir(), 'hearth-agent-crash-'))
  readonly #model = startModel({
    script: SCRIPT,
    onAsked: (step, moment) => this.#onAsked(step, moment),
  })

  constructor(
    private readonly executable: string,
    private readonly point: Point | null,
  ) {}

  async #start(): Promise<void> {
    this.#forge = await beginForge({
      executable: this.executable,
      data: join(this.#directory, 'data'),
      log: join(this.#directory, 'log'),
      environment: {
        PATH: process.env.PATH ?? '',
        HEARTH_INTEGRATIONS_ALLOW: 'http://127.0.0.1',
        ...(process.env.HEARTH_CHECKS_ISOLATION
          ? { HEARTH_CHECKS_ISOLATION: process.env.HEARTH_CHECKS_ISOLATION }
          : {}),
      },
    }).ready
  }

  #kill(): Promise<void> {
    this.#killed = true
    this.#hasKilled.resolve()
    this.#restarting ??= (async () => {
      await this.#forge?.kill()
      await this.#start()
    })()
    return this.#restarting
  }

  async #onAsked(step: number, moment: Moment): Promise<boolean> {
    if (moment === 'before' && step === STEP_OF_NEW_TEST) await this.#addTest()
    const { point } = this
    if (this.#killed || point === null) return true
    if ('seen' in point) {
      // Without an answer the agent cannot mend the failed check before the driver has seen it.
      if (point.seen === 'failed check' && step === STEP_OF_MENDING) await this.#hasKilled.promise
      return true
    }
    if (point.step !== step || point.moment !== moment) return true
    if (point.delay_ms > 0) await Bun.sleep(point.delay_ms)
    if (this.#killed) return true
    void this.#kill()
    return false
  }

  async #call<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: T }> {
    await this.#restarting
    const response = await fetch(`${this.#forge?.url}/api${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: (text === '' ? null : JSON.parse(text)) as T }
  }

  async #made(method: string, path: string, body: unknown): Promise<Record<string, unknown>> {
    const answer = await this.#call(method, path, body)
    if (answer.status >= 300)
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  /** The base gets a stricter test, once. */
  async #addTest(): Promise<void> {
    const content = 'grep -q "a + b" add.js && test -f strict.txt\n'
    await this.#call('POST', `/repos/${REPO}/commits`, {
      branch: 'main',
      message: 'Be strict',
      files: [{ path: 'test.sh', action: 'put', content, encoding: 'utf-8' }],
    }).catch(() => null)
  }

  async #prepare(): Promise<void> {
    await this.#start()
    if (!this.#forge) throw new Error('the forge has not started')
    this.#token = (await claim(this.#forge)).token
    await this.#made('POST', '/v1/repos', { workspace: 'acme', name: 'site' })
    await this.#made('POST', `/repos/${REPO}/commits`, {
      branch: 'main',
      message: 'Begin',
      files: [
        { path: 'add.js', action: 'put', content: 'const add = (a, b) => a - b\n' },
        { path: 'test.sh', action: 'put', content: 'grep -q "a + b" add.js\n' },
      ].map((file) => ({ ...file, encoding: 'utf-8' })),
    })
    await this.#made('PATCH', `/repos/${REPO}/settings`, { require_up_to_date: false })
    const { id } = await this.#made('POST', '/workspaces/acme/integrations', {
      provider: 'chat_completions',
      name: 'model',
      config: {
        base_url: this.#model.url,
        models: [{ id: 'small', usd_per_million_input: 1, usd_per_million_output: 4 }],
      },
      secret: 'sk-test',
    })
    await this.#made('PUT', '/workspaces/acme/model-routes', {
      routes: [{ task: 'code', integration: id, model: 'small' }],
    })
  }

  async #seen(what: string): Promise<void> {
    if (this.#killed || this.point === null) return
    if ('seen' in this.point && this.point.seen === what) await this.#kill()
  }

  /** One look at the story, and the step that it needs next. True at its end. */
  async #goOn(): Promise<boolean> {
    const issues = await this.#call<unknown[]>('GET', `/v1/repos/${REPO}/issues?state=all`)
    if (issues.body.length === 0) {
      await this.#made('POST', `/v1/repos/${REPO}/issues`, {
        title: 'It subtracts',
        checks: [CHECK],
      })
      await this.#seen('issue')
      return false
    }
    const pulls = await this.#call<Pull[]>('GET', `/v1/repos/${REPO}/pulls?state=all`)
    const [pull] = pulls.body
    this.#last = `${pull?.status}, checks ${pull?.checks_status}`
    if (pull === undefined) {
      await this.#made('POST', `/repos/${REPO}/issues/1/assign`, {})
      await this.#seen('draft')
      return false
    }
    if (pull.status === 'merged') return true
    if (pull.checks_status === 'failed') await this.#seen('failed check')
    if (pull.status !== 'open') return false
    await this.#seen('ready')
    if (pull.checks_status !== 'passed') return false
    // Its last step comes after the checks of what it pushed.
    const agents = await this.#call<{ state: string }[]>('GET', `/repos/${REPO}/agents`)
    if (agents.body[0]?.state !== 'idle') return false
    const path = `/v1/repos/${REPO}/pulls/${pull.number}/merge`
    const merged = await this.#call('POST', path, { method: 'merge' })
    this.#last += `, merge ${JSON.stringify(merged.body).slice(0, 200)}`
    await this.#seen('merge')
    return false
  }

  async run(): Promise<Ending> {
    try {
      await this.#prepare()
      const until = performance.now() + MAX_STORY_MS
      for (;;) {
        // A request that the kill cut off is looked for, not repeated.
        const ended = await this.#goOn().catch((error: unknown) => {
          if (this.#restarting === null) throw error
          return false
        })
        if (ended) break
        if (performance.now() > until)
          return this.#ending([`the story did not end in time: ${this.#last}`])
        await Bun.sleep(POLL_MS)
      }
      return this.#ending([])
    } finally {
      await this.#forge?.stop()
      this.#model.stop()
      rmSync(this.#directory, { recursive: true, force: true })
    }
  }

  #ending(problems: string[]): Ending {
    const db = new Database(join(this.#directory, 'data', 'hearth.db'), { readonly: true })
    try {
      const isReached = this.point === null || this.#killed
      return { ...endingOf(db, problems, this.#model.answers()), isReached }
    } finally {
      db.close()
    }
  }
}

type Pull = { number: number; status: string; checks_status: string }
type Entry = { seq: number; kind: string; tool: string | null; data: string | null }

const one = (db: Database, sql: string): Record<string, unknown> =>
  (db.query(sql).get() ?? {}) as Record<string, unknown>

/** Everything that must be the same, and what is wrong with money and numbers. */
function endingOf(db: Database, problems: string[], answers: number): Omit<Ending, 'isReached'> {
  const entries = db.query('SELECT * FROM session_entries ORDER BY seq').all() as Entry[]
  if (entries.some(({ seq }, at) => seq !== at + 1)) problems.push('the entries have a gap')
  const micro = (value: unknown): number => Math.round(Number(value ?? 0) * 1e6)
  const calls = one(db, 'SELECT sum(cost) AS cost, count(*) AS count FROM model_calls')
  const sums = {
    calls: Number(calls.cost),
    days: Number(one(db, 'SELECT sum(cost) AS cost FROM model_days').cost),
    entries: micro(
      one(
        db,
        `SELECT sum(json_extract(data, '$.cost_usd')) AS cost FROM session_entries WHERE kind = 'usage'`,
      ).cost,
    ),
    pull: micro(one(db, 'SELECT session_cost AS cost FROM pulls').cost),
    agent: micro(one(db, 'SELECT sum(cost_usd) AS cost FROM agents').cost),
  }
  if (new Set(Object.values(sums)).size !== 1)
    problems.push(`the money differs: ${JSON.stringify(sums)}`)
  // An answer that was cut off may be counted too, but none that came whole is forgotten.
  if (Number(calls.count) < SCRIPT.length || Number(calls.count) > answers + 1)
    problems.push(`${String(calls.count)} calls are counted, of ${answers} whole answers`)
  const pull = one(db, 'SELECT status, head_sha FROM pulls')
  const pulls = one(db, 'SELECT count(*) AS count FROM pulls')
  if (pulls.count !== 1) problems.push(`there are ${String(pulls.count)} pull requests`)
  return {
    status: String(pull.status),
    state: String(one(db, 'SELECT state FROM agent_runs').state),
    commits: entries.filter(({ kind }) => kind === 'checkpoint').length,
    checks: entries.filter(({ kind }) => kind === 'check').length,
    entries: entries
      .filter(({ kind }) => kind !== 'usage' && kind !== 'check')
      .map(({ kind, tool }) => `${kind} ${tool ?? ''}`.trim()),
    problems,
  }
}

/** The same point with half its delay; null for one without. */
const earlierThan = (point: Point): Point | null =>
  'seen' in point || point.delay_ms === 0
    ? null
    : { ...point, delay_ms: Math.floor(point.delay_ms / 2) }

/**
 * Runs the story with a kill at a point. A story that ends before a delay is over is run again with
 * a shorter one, so that each point is a kill.
 */
export async function runStoryUntilKilled(
  executable: string,
  point: Point,
): Promise<{ readonly point: Point; readonly ending: Ending }> {
  for (let tried = point; ; ) {
    const ending = await runStory(executable, tried)
    const earlier = ending.isReached ? null : earlierThan(tried)
    if (earlier === null) return { point: tried, ending }
    tried = earlier
  }
}

export const runStory = (executable: string, point: Point | null): Promise<Ending> =>
  new Story(executable, point).run()
