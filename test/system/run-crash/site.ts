/** One forge with a repository, as a client of its REST interface sees it, across kills. */
import { Database } from 'bun:sqlite'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beginForge, claim, type ForgeProcess } from '../../../scripts/support/forge.ts'
import { git, withToken } from '../../../scripts/support/git.ts'

const REPO = 'acme/site'
const POLL_MS = 15
/** A lease of an external runner lasts a minute, and a check every half minute ends it. */
const MAX_WAIT_MS = 150_000

export type Run = { id: string; status: string; conclusion: string | null; attempt: number }
export type Step = { name: string; status: string; conclusion: string | null }
export type Job = {
  id: string
  name: string
  status: string
  conclusion: string | null
  reason: string | null
  steps: readonly Step[]
}
export type Log = { lines: readonly { n: number; text: string }[]; complete: boolean }

export class Site {
  readonly directory = mkdtempSync(join(tmpdir(), 'hearth-run-crash-'))
  #forge: ForgeProcess | null = null
  #token = ''

  constructor(
    private readonly executable: string,
    /** More of the environment of the forge. */
    private readonly environment: Readonly<Record<string, string>> = {},
    private readonly listen = '127.0.0.1:0',
  ) {}

  get url(): string {
    return this.#forge?.url ?? ''
  }

  get errors(): string[] {
    return readFileSync(join(this.directory, 'log'), 'utf8')
      .split('\n')
      .filter((line) => line.includes('"level":"error"'))
  }

  async start(): Promise<void> {
    const isolation = process.env.HEARTH_CHECKS_ISOLATION
    this.#forge = await beginForge({
      executable: this.executable,
      listen: this.listen,
      data: join(this.directory, 'data'),
      log: join(this.directory, 'log'),
      environment: {
        PATH: process.env.PATH ?? '',
        HEARTH_JOBS_NETWORK: 'none',
        ...(isolation ? { HEARTH_CHECKS_ISOLATION: isolation } : {}),
        ...this.environment,
      },
    }).ready
    if (this.#token !== '') return
    this.#token = (await claim(this.#forge)).token
    await this.ask('POST', '/repos', { workspace: 'acme', name: 'site' })
    mkdirSync(join(this.directory, 'work', '.hearth', 'workflows'), { recursive: true })
    await git(join(this.directory, 'work'), 'init', '-q', '-b', 'main')
  }

  async restart(): Promise<void> {
    await this.#forge?.kill()
    await this.start()
  }

  async stop(): Promise<void> {
    await this.#forge?.kill()
    rmSync(this.directory, { recursive: true, force: true })
  }

  push(workflow: string): Promise<void> {
    return this.pushFiles({ '.hearth/workflows/ci.yml': workflow })
  }

  async pushFiles(files: Readonly<Record<string, string>>): Promise<void> {
    const work = join(this.directory, 'work')
    for (const [name, text] of Object.entries(files)) await Bun.write(join(work, name), text)
    await git(work, 'add', '-A')
    await git(work, 'commit', '-q', '--allow-empty', '-m', 'Change')
    await git(work, 'push', '-q', `${withToken(this.url, this.#token)}/${REPO}.git`, 'main')
  }

  async ask<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(`${this.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return (text === '' ? null : JSON.parse(text)) as T
  }

  of<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
    return this.ask<T>(method, `/repos/${REPO}${path}`, body)
  }

  runs = (): Promise<Run[]> => this.of<Run[]>('GET', '/actions/runs')
  jobs = (run: Run): Promise<Job[]> => this.of<Job[]>('GET', `/actions/runs/${run.id}/jobs`)
  log = (job: Job): Promise<Log> => this.of<Log>('GET', `/actions/jobs/${job.id}/log`)

  /** Polls until something is found; throws when it takes too long. */
  async until<T>(what: string, find: () => Promise<T | null | undefined>): Promise<T> {
    for (const end = performance.now() + MAX_WAIT_MS; performance.now() < end; ) {
      const found = await find()
      if (found !== null && found !== undefined) return found
      await Bun.sleep(POLL_MS)
    }
    throw new Error(`${what} took too long: ${JSON.stringify(await this.#state())}`)
  }

  async #state(): Promise<unknown> {
    const runs = await this.runs()
    return Promise.all(runs.map(async (run) => ({ run, jobs: await this.jobs(run) })))
  }

  /** What the database says that no page shows: how often the end of each run was told. */
  endsTold(): { run: string; times: number }[] {
    const db = new Database(join(this.directory, 'data', 'hearth.db'), { readonly: true })
    try {
      return db
        .query<{ run: string; times: number }, []>(
          `SELECT json_extract(data, '$.run_id') AS run, count(*) AS times FROM events
           WHERE type = 'workflow.completed' GROUP BY 1`,
        )
        .all()
    } finally {
      db.close()
    }
  }
}
