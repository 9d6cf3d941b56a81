/** A repository whose runs are compared, over REST and git. */
import { chmodSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ONE_SECRET } from './files.ts'

type Json = Readonly<Record<string, unknown>>
type Job = {
  readonly id: string
  readonly name: string
  readonly conclusion: string | null
  readonly status: string
  readonly steps: readonly { readonly name: string; readonly conclusion: string | null }[]
}

export type Outcome = {
  readonly conclusions: readonly string[]
  readonly steps: readonly string[]
  /** What the steps of the workflow printed for this comparison. */
  readonly lines: readonly string[]
  readonly artifacts: readonly string[]
  readonly caches: readonly string[]
  readonly text: string
  /** The text of each job by its name. */
  readonly logs: Readonly<Record<string, string>>
}

/** A machine that is emulated needs longer. */
const MAX_WAIT_MS = Number(process.env.HEARTH_TEST_WAIT_MS ?? 180_000)

export class Repository {
  private constructor(
    readonly url: string,
    private readonly token: string,
    private readonly path: string,
    private readonly folder: string,
  ) {}

  static async create(
    url: string,
    token: string,
    workspace: string,
    name: string,
    directory: string,
  ): Promise<Repository> {
    const folder = join(directory, `work-${name}`)
    const made = new Repository(url, token, `${workspace}/${name}`, folder)
    await made.ask('POST', '/repos', { workspace, name, private: false })
    await made.rest('POST', '/actions/secrets', { setting: 'KEY', value: ONE_SECRET })
    Bun.spawnSync(['git', 'init', '-q', '-b', 'main', folder])
    return made
  }

  rest(method: string, path: string, body?: Json): Promise<Json> {
    return this.ask(method, `/repos/${this.path}${path}`, body)
  }

  async push(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.folder, name)), { recursive: true })
      await Bun.write(join(this.folder, name), text)
      if (name.endsWith('.sh')) chmodSync(join(this.folder, name), 0o755)
    }
    this.#git('add', '-A')
    this.#git('commit', '-qm', 'Change')
    this.#git(
      'push',
      '-q',
      `${this.url.replace('://', `://x:${this.token}@`)}/${this.path}.git`,
      'main',
    )
  }

  /**
   * Changes a file as a person without a role does: in the fork of a new pull request. Returns once
   * its run, which waits for an approval, has got one.
   */
  async proposeFrom(token: string, name: string, text: string): Promise<void> {
    const before = ((await this.#list('/actions/runs')) as readonly Json[]).length
    const answer = await fetch(`${this.url}/api/v1/repos/${this.path}/pulls`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'From outside' }),
    })
    if (!answer.ok) throw new Error(`no pull request: ${await answer.text()}`)
    const { pull } = (await answer.json()) as { pull: { number: number; branch: string | null } }
    const fork = `${this.url.replace('://', `://x:${token}@`)}/${this.path}/pull/${pull.number}.git`
    await Bun.write(join(this.folder, name), text)
    this.#git('checkout', '-qb', 'outside')
    this.#git('add', '-A')
    this.#git('commit', '-qm', 'Change from outside')
    this.#git('push', '-q', fork, `outside:${pull.branch ?? 'main'}`)
    this.#git('checkout', '-q', 'main')
    const run = await this.#runWhen((one) => one.waiting_for === 'approval', before)
    await this.rest('POST', `/actions/runs/${String(run.id)}/approve`)
  }

  #git(...args: readonly string[]): void {
    const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.com']
    const { exitCode, stderr } = Bun.spawnSync(['git', ...who, '-C', this.folder, ...args])
    if (exitCode !== 0) throw new Error(stderr.toString())
  }

  /** Waits for the newest run and describes it. */
  async outcome(): Promise<Outcome> {
    const run = await this.#runWhen((one) => one.status === 'completed')
    const jobs = await this.#jobs(run)
    const logs: Record<string, string> = {}
    for (const { id, name } of jobs) {
      const answer = await fetch(`${this.url}/api/v1/repos/${this.path}/actions/jobs/${id}/log`, {
        headers: { authorization: `Bearer ${this.token}`, accept: 'text/plain' },
      })
      logs[String(name)] = await answer.text()
    }
    const text = Object.values(logs).join('\n')
    const names = async (path: string, field: string): Promise<string[]> => {
      const items = (await this.#list(path)) as readonly Record<string, string>[]
      return items.map((item) => String(item[field])).toSorted()
    }
    return {
      conclusions: [
        `run ${String(run.conclusion)}`,
        ...jobs.map(({ name, conclusion }) => `${name} ${conclusion}`).toSorted(),
      ],
      steps: jobs
        .flatMap((job) => job.steps.map((step) => `${job.name}: ${step.name} ${step.conclusion}`))
        .filter((line) => !/: (Set up|Complete) job /.test(line))
        .toSorted(),
      lines: [...text.matchAll(/^RESULT .*$/gm)].map(([line]) => line).toSorted(),
      artifacts: await names(`/actions/runs/${String(run.id)}/artifacts`, 'name'),
      caches: await names('/actions/caches', 'key'),
      text,
      logs,
    }
  }

  /** Waits until the job of the newest run writes. Returns the run. */
  async whenRunning(): Promise<Json> {
    const run = await this.#runWhen((one) => one.status === 'in_progress')
    await this.#wait(async () => {
      const [job] = await this.#jobs(run)
      const { lines } = (await this.rest('GET', `/actions/jobs/${job?.id}/log`)) as {
        lines: readonly { readonly text: string }[]
      }
      return lines.some(({ text }) => text.startsWith('begun')) ? true : null
    })
    return run
  }

  /** Cancels the newest run once its job writes. Returns the seconds until it had ended. */
  async cancelRunning(): Promise<number> {
    const run = await this.whenRunning()
    const path = `/actions/runs/${String(run.id)}`
    const began = performance.now()
    await this.rest('POST', `${path}/cancel`)
    const ended = await this.#runWhen((one) => one.status === 'completed')
    if (ended.conclusion !== 'cancelled') throw new Error(`it is ${String(ended.conclusion)}`)
    return Math.round((performance.now() - began) / 1000)
  }

  async #jobs(run: Json): Promise<readonly Job[]> {
    return (await this.#list(`/actions/runs/${String(run.id)}/jobs`)) as readonly Job[]
  }

  /** The newest run, once there are more than `before` and it is right. */
  #runWhen(isRight: (run: Json) => boolean, before = 0): Promise<Json> {
    return this.#wait(async () => {
      const runs = (await this.#list('/actions/runs')) as readonly Json[]
      const [run] = runs
      return run && runs.length > before && isRight(run) ? run : null
    })
  }

  async #wait<T>(find: () => Promise<T | null>): Promise<T> {
    for (const end = performance.now() + MAX_WAIT_MS; performance.now() < end; ) {
      const found = await find()
      if (found !== null) return found
      await Bun.sleep(300)
    }
    throw new Error(`${this.path} took too long`)
  }

  async #list(path: string): Promise<readonly unknown[]> {
    const answer = (await this.rest('GET', path)) as unknown
    return Array.isArray(answer) ? answer : (answer as { items: unknown[] }).items
  }

  private async ask(method: string, path: string, body?: Json): Promise<Json> {
    const answer = await fetch(`${this.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return text === '' ? {} : (JSON.parse(text) as Json)
  }
}
