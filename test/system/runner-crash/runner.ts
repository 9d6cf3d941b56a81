/** The program of a runner, in a folder of its own: registered, started, killed and started again. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const CONFIG = `runner: { capacity: 1, fetch_interval: 1s, fetch_interval_max: 1s }
cache: { enabled: false }
`

export class RunnerProgram {
  #child: Bun.Subprocess | null = null

  constructor(
    private readonly program: string,
    private readonly folder: string,
  ) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'c.yaml'), CONFIG)
  }

  #run(...args: readonly string[]): Bun.Subprocess {
    const log = Bun.file(join(this.folder, 'log'))
    return Bun.spawn([this.program, '-c', 'c.yaml', ...args], {
      cwd: this.folder,
      env: { PATH: process.env.PATH ?? '', HOME: this.folder },
      stdout: log,
      stderr: log,
    })
  }

  /** False when it could not be registered. */
  async register(url: string, token: string): Promise<boolean> {
    const child = this.#run(
      ...['register', '--no-interactive', '--instance', url, '--token', token],
      ...['--name', 'far', '--labels', 'far:host'],
    )
    return (await child.exited) === 0
  }

  start(): void {
    this.#child = this.#run('daemon')
  }

  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL')
    await this.#child?.exited
    this.#child = null
  }

  get log(): string {
    return readFileSync(join(this.folder, 'log'), 'utf8')
  }
}
