/** A forge with a repository that a script pushes to, and whose runs it waits for. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { claim, startForge, type ForgeProcess } from '../../support/forge.ts'
import { git, withToken } from '../../support/git.ts'
import { RunnerProgram, type RunnerOptions } from '../../support/runner-program.ts'
import { memoryOf } from '../forge/memory.ts'
import { cpuOf } from '../forge/vitals.ts'

const POLL_MS = 10
/** Of a run that takes seconds, so that waiting for it costs the forge little. */
const SLOW_POLL_MS = 100
const MAX_FAST_MS = 2_000
/** Jobs of the forge yield to it so much; without the same for others, a busy machine decides. */
export const NICENESS = 10
const FILE = '.hearth/workflows/bench.yml'

export type Run = { id: string; status: string; conclusion: string | null }
export type Job = { id: string; started_at: string | null; finished_at: string | null }
/** A push that was answered, with the runs that were there before. */
type Pushed = {
  readonly before: ReadonlySet<string>
  readonly at: number
  /** By the clock of the machine, which jobs read too. */
  readonly time: number
}
type FirstLine = {
  readonly at: number
  readonly printed: number
  readonly readable: number
}
type Log = { lines: readonly { text: string }[] }

/** The label of the jobs that a runner takes. */
export const FAR = 'far'

type BenchRunner = Pick<RunnerOptions, 'program' | 'label' | 'capacity' | 'settings'> & {
  readonly url?: string
}

export class Site {
  #count = 0

  private constructor(
    private readonly forge: ForgeProcess,
    private readonly token: string,
    private readonly directory: string,
  ) {}

  static async open(
    executable: string,
    directory: string,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<Site> {
    mkdirSync(directory)
    const forge = await startForge({
      executable,
      data: join(directory, 'data'),
      log: join(directory, 'log'),
      environment: { PATH: process.env.PATH ?? '', HEARTH_JOBS_NETWORK: 'none', ...environment },
    })
    const { token } = await claim(forge)
    const site = new Site(forge, token, directory)
    await git(directory, 'init', '-q', '-b', 'main', site.#work)
    await site.ask('POST', '/repos', { workspace: 'acme', name: 'bench', private: false })
    return site
  }

  get #work(): string {
    return join(this.directory, 'work')
  }

  get cpuSeconds(): number {
    return cpuOf(this.forge.pid)
  }

  /** Resident memory in MiB. */
  get memory(): number {
    return memoryOf(this.forge.pid).resident
  }

  get url(): string {
    return this.forge.url
  }

  /**
   * Registers the program of a runner for the repository and starts it. It takes the jobs of the
   * label, and knows the forge by `url`.
   */
  async addRunner({ label, url = this.url, ...options }: BenchRunner): Promise<RunnerProgram> {
    const { token } = await this.ask<{ token: string }>(
      'POST',
      '/repos/acme/bench/actions/runners',
      { name: label },
    )
    const folder = join(this.directory, `runner-${label}`)
    const runner = new RunnerProgram({ ...options, folder, label, niceness: NICENESS })
    await runner.register(url, token)
    runner.start()
    return runner
  }

  /** Kills all sandboxes of the forge, so that none waits for the next job. */
  async killSandboxes(): Promise<void> {
    const pids = readdirSync('/proc')
      .filter((entry) => /^\d+$/.test(entry))
      .map(Number)
    const isOurs = (pid: number): boolean => {
      for (let up = parentOf(pid); up !== null; up = parentOf(up))
        if (up === this.forge.pid) return true
      return false
    }
    // The first process inside, whose end is that of the sandbox.
    const isFirst = (pid: number): boolean =>
      nameOf(pid) === 'bwrap' && nameOf(parentOf(pid) ?? 0) === 'bwrap'
    for (const pid of pids.filter((one) => isFirst(one) && isOurs(one))) {
      const outer = parentOf(pid)
      process.kill(pid, 'SIGKILL')
      while (outer !== null && nameOf(outer) === 'bwrap') await Bun.sleep(1)
    }
  }

  /** Pushes one commit that changes a file. Returns the milliseconds of the push. */
  async push(files: Readonly<Record<string, string>> = {}): Promise<number> {
    const n = this.#count++
    const changed = { [`file-${n % 20}`]: `version ${n}\n`.repeat(20), ...files }
    for (const [name, text] of Object.entries(changed))
      await Bun.write(join(this.#work, name), text)
    await git(this.#work, 'add', '-A')
    await git(this.#work, 'commit', '-q', '-m', `Change ${n}`)
    const began = performance.now()
    await git(
      this.#work,
      'push',
      '-q',
      `${withToken(this.forge.url, this.token)}/acme/bench.git`,
      'main',
    )
    return performance.now() - began
  }

  /** Pushes a workflow, and waits until its run has ended. */
  async run(workflow: string): Promise<{ run: Run; jobs: readonly Job[]; ms: number }> {
    const began = await this.#pushWorkflow(workflow)
    return this.#end(began)
  }

  /**
   * Pushes a workflow of one job that prints its time in nanoseconds. Returns when the push was
   * answered (`performance.now()`), and the milliseconds from then to that time, and to the answer
   * of REST that has the line.
   */
  async firstLine(workflow: string): Promise<FirstLine> {
    const began = await this.#pushWorkflow(workflow)
    for (;;) {
      const run = (await this.#runs()).find(({ id }) => !began.before.has(id))
      const [job] = run ? await this.of<Job[]>(`/actions/runs/${run.id}/jobs`) : []
      const { lines } = job ? await this.of<Log>(`/actions/jobs/${job.id}/log`) : { lines: [] }
      const nanoseconds = lines.map(({ text }) => /^now (\d+)$/.exec(text)?.[1]).find(Boolean)
      if (nanoseconds !== undefined) {
        const readable = performance.now() - began.at
        await this.#end(began)
        const printed = Number(nanoseconds) / 1e6 - began.time
        return { at: began.at, printed, readable }
      }
      if (run?.status === 'completed')
        throw new Error(`no line has a time: ${lines.map(({ text }) => text).join('; ')}`)
      await Bun.sleep(POLL_MS)
    }
  }

  /** Waits until a job of the newest run runs. */
  async whenLogging(): Promise<void> {
    for (;;) {
      const [run] = await this.#runs()
      const jobs =
        run && run.status !== 'completed'
          ? await this.of<{ status: string }[]>(`/actions/runs/${run.id}/jobs`)
          : []
      if (jobs.some(({ status }) => status === 'in_progress')) return
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

  async #pushWorkflow(workflow: string): Promise<Pushed> {
    const before = new Set((await this.#runs()).map(({ id }) => id))
    await this.push({ [FILE]: workflow })
    return { before, at: performance.now(), time: Date.now() }
  }

  async #end({ before, at }: Pushed): Promise<{ run: Run; jobs: readonly Job[]; ms: number }> {
    for (;;) {
      const run = (await this.#runs()).find(({ id }) => !before.has(id))
      const ms = performance.now() - at
      if (run?.status === 'completed') {
        if (run.conclusion !== 'success') throw new Error(`the run is ${run.conclusion}`)
        return { run, jobs: await this.of<Job[]>(`/actions/runs/${run.id}/jobs?limit=100`), ms }
      }
      await Bun.sleep(ms < MAX_FAST_MS ? POLL_MS : SLOW_POLL_MS)
    }
  }

  #runs = (): Promise<Run[]> => this.of<Run[]>('/actions/runs?limit=5')
}

function parentOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return null
  }
}

function nameOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
  } catch {
    return ''
  }
}
