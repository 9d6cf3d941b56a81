/**
 * One of two machines: a data directory, the addresses it listens on, and a process of the built
 * executable that serves or follows, alone or in a network namespace.
 */
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'

export type MachineOptions = {
  readonly executable: string
  readonly directory: string
  readonly name: string
  readonly http: string
  readonly standby: string
  readonly peer: string
  /** The network namespace (ip-netns(8)); null for that of the script. */
  readonly namespace: string | null
  readonly settings: Readonly<Record<string, string>>
}

type Ended = { readonly status: number; readonly out: string; readonly error: string }

export class Machine {
  readonly data: string
  #child: Bun.Subprocess<'ignore', 'pipe', number> | null = null
  #out = ''
  #more = Promise.withResolvers<void>()

  constructor(private readonly options: MachineOptions) {
    this.data = join(options.directory, options.name)
    mkdirSync(this.data, { recursive: true, mode: 0o700 })
  }

  get url(): string {
    return `http://${this.options.http}`
  }

  get #environment(): Record<string, string> {
    const { standby, peer, settings } = this.options
    return {
      PATH: '/usr/bin:/bin:/usr/sbin',
      HOME: '/nonexistent',
      TZ: 'UTC',
      HEARTH_LOG_LEVEL: 'warn',
      HEARTH_STANDBY_LISTEN: standby,
      HEARTH_STANDBY_PEER: peer,
      ...settings,
    }
  }

  #words(args: readonly string[]): string[] {
    const { executable, namespace } = this.options
    const inside = namespace === null ? [] : ['ip', 'netns', 'exec', namespace]
    return [...inside, executable, ...args, '--data', this.data]
  }

  /** Starts `serve` or `standby follow` and waits until it says so. */
  async start(...args: string[]): Promise<this> {
    const { directory, name, http } = this.options
    const log = openSync(join(directory, `${name}.log`), 'a')
    this.#out = ''
    const child = Bun.spawn(this.#words([...args, '--listen', http]), {
      env: this.#environment,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: log,
    })
    closeSync(log)
    this.#child = child
    void this.#read(child)
    await this.said(args[0] === 'serve' ? /^hearth listening on/m : /^hearth standby on/m)
    return this
  }

  async #read(child: Bun.Subprocess<'ignore', 'pipe', number>): Promise<void> {
    const decoder = new TextDecoder()
    for await (const part of child.stdout) {
      this.#out += decoder.decode(part, { stream: true })
      this.#more.resolve()
      this.#more = Promise.withResolvers()
    }
  }

  /** Waits until its standard output has a line, and gives the match. */
  async said(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.#out)
      if (found) return found
      if (this.#child?.exitCode !== null)
        throw new Error(`${this.options.name} ended before it said ${pattern}: ${this.#out}`)
      await Promise.race([this.#more.promise, this.#child.exited])
    }
  }

  async setup(): Promise<string> {
    return (await this.said(/^hearth setup: (\S+)$/m))[1] ?? ''
  }

  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL')
    await this.#child?.exited
    this.#child = null
  }

  async stop(): Promise<void> {
    this.#child?.kill('SIGTERM')
    await this.#child?.exited
    this.#child = null
  }

  /** Runs another command on this machine. */
  async run(...args: string[]): Promise<Ended> {
    const child = Bun.spawn(this.#words(args), {
      env: this.#environment,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [out, error, status] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ])
    return { status, out, error }
  }

  /** Runs a command that must succeed, and gives what it printed. */
  async must(...args: string[]): Promise<string> {
    const { status, out, error } = await this.run(...args)
    if (status !== 0)
      throw new Error(`hearth ${args.join(' ')} ended with ${status}: ${out}${error}`)
    return out
  }

  /** Waits until `hearth standby status` says something. */
  async until(pattern: RegExp, timeoutMs = 60_000): Promise<string> {
    const deadline = performance.now() + timeoutMs
    for (;;) {
      const { out } = await this.run('standby', 'status')
      if (pattern.test(out)) return out
      if (performance.now() > deadline)
        throw new Error(`${this.options.name} did not become ${pattern}: ${out}`)
      await Bun.sleep(100)
    }
  }
}
