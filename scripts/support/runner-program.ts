/** The program of a runner (Gitea's or Forgejo's) in a folder of its own: registered, started, killed. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type RunnerOptions = {
  readonly program: string
  readonly folder: string
  /** The name of the runner, and the label of the jobs that it takes. */
  readonly label: string
  /** Jobs at a time. */
  readonly capacity: number
  /** How much it yields to other processes, and with it its jobs (nice(1)). */
  readonly niceness?: number
  /** Of the section `runner` of its configuration; its own defaults apply to others. */
  readonly settings?: Readonly<Record<string, string>>
}

export class RunnerProgram {
  #child: Bun.Subprocess | null = null

  constructor(private readonly options: RunnerOptions) {
    const { folder, capacity, settings = {} } = options
    mkdirSync(folder, { recursive: true })
    writeFileSync(
      join(folder, 'c.yaml'),
      JSON.stringify({ runner: { capacity, ...settings }, cache: { enabled: false } }),
    )
  }

  #run(...args: readonly string[]): Bun.Subprocess {
    const { program, folder, niceness = 0 } = this.options
    const log = Bun.file(join(folder, 'log'))
    return Bun.spawn(['nice', '-n', String(niceness), program, '-c', 'c.yaml', ...args], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', HOME: folder },
      stdout: log,
      stderr: log,
    })
  }

  /** Registers it with the token of a new runner. Throws with what it said when it is refused. */
  async register(url: string, token: string): Promise<void> {
    const { label } = this.options
    const child = this.#run(
      ...['register', '--no-interactive', '--instance', url, '--token', token],
      ...['--name', label, '--labels', `${label}:host`],
    )
    if ((await child.exited) !== 0) throw new Error(`the runner is not registered: ${this.log}`)
  }

  start(): void {
    this.#child = this.#run('daemon')
  }

  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    this.#child?.kill(signal)
    await this.#child?.exited
    this.#child = null
  }

  get log(): string {
    return readFileSync(join(this.options.folder, 'log'), 'utf8')
  }
}
