/** A forge with a repository that a script pushes to, and whose runs it waits for. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { claim, startForge, type ForgeProcess } from '../../support/forge.ts'
import { git, withToken } from '../../support/git.ts'
import { cpuOf } from '../forge/vitals.ts'

const POLL_MS = 10

export type Run = { id: string; status: string; conclusion: string | null }
export type Job = { id: string; started_at: string | null; finished_at: string | null }

export class Site {
  #count = 0

  private constructor(
    private readonly forge: ForgeProcess,
    private readonly token: string,
    private readonly work: string,
  ) {}

  static async open(executable: string, directory: string): Promise<Site> {
    mkdirSync(directory)
    const forge = await startForge({
      executable,
      data: join(directory, 'data'),
      log: join(directory, 'log'),
      environment: { PATH: process.env.PATH ?? '',  },
    })
    const { token } = await claim(forge)
    const work = join(directory, 'work')
    await git(directory, 'init', '-q', '-b', 'main', work)
    const site = new Site(forge, token, work)
    await site.ask('POST', '/repos', { workspace: 'acme', name: 'bench' })
    return site
  }

  get cpuSeconds(): number {
    return cpuOf(this.forge.pid)
  }

  /** Pushes one commit that changes a file. Returns the milliseconds of the push. */
  async push(files: Readonly<Record<string, string>> = {}): Promise<number> {
    const n = this.#count++
    const changed = { [`file-${n % 20}`]: `version ${n}\n`.repeat(20), ...files }
    for (const [name, text] of Object.entries(changed)) await Bun.write(join(this.work, name), text)
    await git(this.work, 'add', '-A')
    await git(this.work, 'commit', '-q', '-m', `Change ${n}`)
    const began = performance.now()
    await git(
      this.work,
      'push',
      '-q',
      `${withToken(this.forge.url, this.token)}/acme/bench.git`,
      n === 0 ? 'main' : 'main:topic',
    )
    return performance.now() - began
  }

  /** Pushes a workflow, and waits until its run has ended. */
  async run(workflow: string): Promise<{ run: Run; jobs: readonly Job[]; ms: number }> {
    const before = new Set((await this.#runs()).map(({ id }) => id))
    await this.push({ '.hearth/workflows/bench.yml': workflow })
    const began = performance.now()
    for (;;) {
      const run = (await this.#runs()).find(({ id }) => !before.has(id))
      if (run?.status === 'completed') {
        const ms = performance.now() - began
        if (run.conclusion !== 'success') throw new Error(`the run is ${run.conclusion}`)
        const jobs = await this.of<Job[]>(`/actions/runs/${run.id}/jobs?limit=100`)
        return { run, jobs, ms }
      }
      await Bun.sleep(POLL_MS)
    }
  }

  of = <T>(path: string): Promise<T> => this.ask<T>('GET', `/repos/acme/bench${path}`)

  async ask<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(`${this.forge.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`)
    return (await response.json()) as T
  }

  stop = (): Promise<void> => this.forge.kill()

  #runs = (): Promise<Run[]> => this.of<Run[]>('/actions/runs?limit=5')
}
