/** One client of a registry, run as a process with a home of its own. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export type Place = {
  /** The address of the forge. */
  readonly url: string
  readonly workspace: string
  readonly token: string
  /** An empty directory. */
  readonly directory: string
  /** Where tools that have to be fetched are installed. */
  readonly tools: string
  /** Prints failures only. */
  readonly isQuiet?: boolean
}

export type Said = { readonly status: number; readonly text: string }

const TIMEOUT_MS = 300_000

export class Client {
  readonly #environment: Record<string, string>
  failures = 0
  steps = 0

  constructor(
    readonly name: string,
    readonly place: Place,
    environment: Record<string, string> = {},
  ) {
    this.#environment = environment
  }

  path(...names: readonly string[]): string {
    return join(this.place.directory, ...names)
  }

  /** Writes a file below the directory of the client. Returns its folder. */
  write(name: string, content: string | Uint8Array): string {
    const path = this.path(name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
    return dirname(path)
  }

  async run(
    folder: string,
    command: readonly string[],
    environment: Record<string, string> = {},
  ): Promise<Said> {
    mkdirSync(this.path(folder), { recursive: true })
    const child = Bun.spawn([...command], {
      cwd: this.path(folder),
      env: {
        PATH: process.env.PATH ?? '',
        HOME: this.path('home'),
        LANG: 'C.UTF-8',
        ...this.#environment,
        ...environment,
      },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const timer = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS)
    const [out, error, status] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ])
    clearTimeout(timer)
    return { status, text: `${out}\n${error}` }
  }

  /** Prints one line: what was tried, and what the client said when it was not as expected. */
  check(what: string, isRight: boolean, said = ''): void {
    this.steps++
    if (!isRight) this.failures++
    if (isRight && this.place.isQuiet === true) return
    process.stdout.write(`${isRight ? 'ok  ' : 'FAIL'} ${this.name}: ${what}\n`)
    if (!isRight) process.stdout.write(`${said.trim().slice(-3000).replace(/^/gm, '       ')}\n`)
  }

  async succeeds(
    what: string,
    folder: string,
    command: readonly string[],
    environment: Record<string, string> = {},
  ): Promise<string> {
    const said = await this.run(folder, command, environment)
    this.check(what, said.status === 0, said.text)
    return said.text
  }

  /** The client has to fail and to show the person a text. */
  async fails(
    what: string,
    shows: RegExp,
    folder: string,
    command: readonly string[],
    environment: Record<string, string> = {},
  ): Promise<void> {
    const said = await this.run(folder, command, environment)
    this.check(what, said.status !== 0 && shows.test(said.text), said.text)
  }
}
