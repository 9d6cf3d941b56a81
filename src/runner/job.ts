/**
 * A job: one sandbox in which many steps run, one after the other. Inside, a shell (the agent)
 * reads the number of a step from its standard input, executes the script of the step, and writes
 * the end mark with the exit code behind its output. So a further step costs one shell, and
 * processes that a step leaves in the background live until the job ends.
 *
 * The server writes only below `input`, which is read-only for the job. So no link that a job made
 * leads a write of the server elsewhere.
 */
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { nextTurn } from '#lib/waiting.ts'
import { EndMark } from './end-mark.ts'
import { DOOR_PART, DOOR_SOCKET, type JobDirectory } from './job-directory.ts'
import { JOB_DOOR_PORT } from './network.ts'
import type { CommandLimits } from './limits.ts'
import { findDescendants } from './process-tree.ts'
import {
  DRAIN_MS,
  firstProcess,
  killSandbox,
  killTree,
  prepareSandbox,
  readExitCode,
  readFileOr,
  signalProcess,
} from './processes.ts'
import { sessionScript, ulimitScript, type SandboxLayout, type SandboxSettings } from './sandbox.ts'
import { MINIMAL_ENV, PATH, quote } from './shell.ts'
import type { ContainerMount } from './containers/engine.ts'
import type { StepContainer } from './containers/job-containers.ts'
import { watchLimits, type ExceededLimit } from './watch-limits.ts'

/** The folders of a job below `work`. `input` is written by the server, the others by the job. */
export const JOB_PARTS = ['build', 'home', 'tmp', 'temp', 'files', 'tools'] as const
export const INPUT_PART = 'input'

/** Paths of a job as its steps see them. */
export type JobPaths = {
  readonly workspace: string
  readonly home: string
  readonly tmp: string
  readonly temp: string
  /** Holds files by which steps tell something to the server. */
  readonly files: string
  readonly tools: string
  /** Holds what the server gives to the job. */
  readonly input: string
  /** This executable, which runs JavaScript with `BUN_BE_BUN=1`. */
  readonly runtime: string
}

/** The paths inside a sandbox. `name` is that of the repository. */
export const sandboxPaths = (name: string): JobPaths => ({
  workspace: `/work/${name}/${name}`,
  home: '/home/runner',
  tmp: '/tmp',
  temp: '/job/temp',
  files: '/job/files',
  tools: '/job/tools',
  input: '/job/input',
  runtime: '/run/hearth',
})

/** The paths where steps run without a sandbox. */
export const hostPaths = ({ work }: JobDirectory): JobPaths => ({
  workspace: join(work, 'build'),
  home: join(work, 'home'),
  tmp: join(work, 'tmp'),
  temp: join(work, 'temp'),
  files: join(work, 'files'),
  tools: join(work, 'tools'),
  input: join(work, INPUT_PART),
  runtime: process.execPath,
})

/** Where a job finds the folder of its door. */
const DOOR_FOLDER = '/run/door'
/** The program in `input` that hands connections to the door. */
export const FORWARDER = 'forward'

const layoutOf = (
  paths: JobPaths,
  hasDoor: boolean,
): SandboxLayout & Required<Pick<SandboxLayout, 'file'>> => ({
  mounts: [
    ...(hasDoor ? [{ from: DOOR_PART, to: DOOR_FOLDER, writable: false }] : []),
    { from: 'build', to: paths.workspace, writable: true },
    { from: 'home', to: paths.home, writable: true },
    { from: 'tmp', to: paths.tmp, writable: true },
    { from: 'temp', to: paths.temp, writable: true },
    { from: 'files', to: paths.files, writable: true },
    { from: 'tools', to: paths.tools, writable: true },
    { from: INPUT_PART, to: paths.input, writable: false },
  ],
  cwd: paths.workspace,
  home: paths.home,
  user: 'runner',
  file: { from: process.execPath, to: paths.runtime },
})

/** What a container of the job sees of its directory and of this machine. */
export function containerMounts({ work }: JobDirectory, paths: JobPaths): ContainerMount[] {
  const { mounts, file } = layoutOf(paths, true)
  return [
    ...mounts.map(({ from, to, writable }) => ({ from: join(work, from), to, writable })),
    { ...file, writable: false },
  ]
}

export type StepOptions = {
  /**
   * A program for `/bin/sh`. It starts in the workspace, with the environment of the job. `$1` is
   * the folder of the step.
   */
  readonly script: string
  /** Files for the folder of the step, which the step can only read. They are removed after it. */
  readonly files?: Readonly<Record<string, string>>
  /** Receives output as it comes. The next output is read when the promise has resolved. */
  readonly output: (bytes: Uint8Array) => Promise<void> | void
  readonly timeoutMs?: number
  /** Ends the step: SIGINT, then SIGTERM, then SIGKILL. The job goes on. */
  readonly signal?: AbortSignal
}

export type StepResult = {
  /**
   * `lost`: the step ended the sandbox, which the next step begins anew. `memory`, `disk`: a limit
   * of the job was exceeded, which ends all its processes.
   */
  readonly ended: 'exited' | 'timed_out' | 'cancelled' | ExceededLimit | 'lost' | 'not_started'
  /** From 128 on a signal, as in shells. Null when the step did not exit. */
  readonly exit_code: number | null
  readonly duration_ms: number
}

export type RunningJob = {
  readonly paths: JobPaths
  /** Runs a step. One step runs at a time. */
  step(options: StepOptions): Promise<StepResult>
  /** Ends all processes of the job. A step that runs ends as `cancelled`. */
  close(): Promise<void>
}

export type JobSettings = {
  readonly directory: JobDirectory
  readonly paths: JobPaths
  readonly limits: CommandLimits
  readonly env: Readonly<Record<string, string>>
  /** Whether the job reaches the forge at `JOB_DOOR_URL`, through the socket of its directory. */
  readonly hasDoor: boolean
  /** Ports of its loopback device, each with the socket of the door's folder behind it. */
  readonly ports: ReadonlyMap<number, string>
  /** The container in which its steps run; null for a sandbox. */
  readonly container: StepContainer | null
  /** Null where commands run without isolation. */
  readonly sandbox: SandboxSettings | null
  readonly parentDeathPrefix: readonly string[]
  /** Removes what the sandbox has left on the machine. */
  readonly release: () => Promise<void>
}

/** How long a step has after SIGINT, and after SIGTERM. */
const INTERRUPT_MS = 7_500
const TERMINATE_MS = 2_500
/** A step that has no process yet gets SIGINT as soon as it has one. */
const RETRY_MS = 50

type AgentProcess = Bun.Subprocess<'pipe', 'pipe', 'ignore'>

/** Runs steps until its input ends. `$n` and `$nonce` come from the server. */
const agentProgram = (
  { input }: JobPaths,
  { hasDoor, ports }: Pick<JobSettings, 'hasDoor' | 'ports'>,
): string =>
  [
    ...(hasDoor ? [forward(input, JOB_DOOR_PORT, DOOR_SOCKET)] : []),
    ...[...ports].map(([port, socket]) => forward(input, port, socket)),
    'while read -r n nonce; do',
    `  set -- ${quote(`${input}/steps`)}/"$n"`,
    '  /bin/sh "$1/run.sh" "$1" </dev/null',
    `  printf '\\036%s %s\\n' "$nonce" "$?"`,
    'done',
  ].join('\n')

/** Makes a socket of the door's folder a port of the loopback device. It returns once it listens. */
const forward = (input: string, port: number, socket: string): string =>
  `${quote(`${input}/${FORWARDER}`)} ${port} ${DOOR_FOLDER}/${socket} </dev/null`

/** The name of the socket that leads to a port of the loopback device of this machine. */
export const servicePart = (port: number): string => `port-${port}`

const spawnAgent = (
  command: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): AgentProcess =>
  Bun.spawn([...command], {
    cwd,
    env: { ...env },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'ignore',
    detached: true,
  })

/** One sandbox with its agent. */
class Agent {
  readonly #reader
  readonly #container: StepContainer | null
  readonly #unwatch: () => void
  readonly #countOomKills: () => number
  exceeded: ExceededLimit | null = null
  hasEnded = false
  /** Output that followed the end of the step before. */
  rest: Uint8Array = new Uint8Array(0)
  #containerProcess = 0

  constructor(
    readonly child: AgentProcess,
    /** The file with bubblewrap's status; null without a sandbox. */
    private readonly status: string | null,
    { directory, limits, sandbox, container }: JobSettings,
  ) {
    this.#container = container
    container?.firstProcess().then(
      (pid) => (this.#containerProcess = pid),
      () => {},
    )
    this.#reader = child.stdout.getReader()
    const killsBefore = sandbox?.group?.countOomKills() ?? 0
    this.#countOomKills = () =>
      container?.countOomKills() ?? (sandbox?.group?.countOomKills() ?? 0) - killsBefore
    this.#unwatch = watchLimits({
      pids: () => [child.pid],
      folders: () => [directory.work],
      limits,
      kernelLimitsMemory: container !== null || (sandbox?.kernelLimitsMemory ?? false),
      countOomKills: this.#countOomKills,
      onExceeded: (what) => this.#exceed(what),
    })
  }

  #exceed(what: ExceededLimit): void {
    this.exceeded = what
    this.kill()
  }

  /** At the end of a step: a process that the kernel killed may have ended it before the next poll. */
  checkMemory(): void {
    if (this.exceeded === null && this.#countOomKills() > 0) this.#exceed('memory')
  }

  get isAlive(): boolean {
    return !this.hasEnded && this.child.exitCode === null
  }

  send(text: string): void {
    this.child.stdin.write(text)
    void this.child.stdin.flush()
  }

  /** The next output; null at its end. */
  async read(): Promise<Uint8Array | null> {
    const { done, value } = await this.#reader.read().catch(() => ({ done: true, value: null }))
    if (done) this.hasEnded = true
    return done ? null : (value ?? null)
  }

  /** Sends a signal to the processes of the step that runs. Returns whether there were any. */
  signalStep(name: NodeJS.Signals): boolean {
    const shell = this.#shell()
    const pids = shell > 0 ? findDescendants(shell) : []
    for (const pid of pids) signalProcess(pid, name)
    return pids.length > 0
  }

  /** Whether the sandbox was created; known after its end. */
  async hasStarted(): Promise<boolean> {
    if (this.#container !== null) return this.#containerProcess > 0
    return this.status === null || (await readExitCode(this.status)) !== null
  }

  /** The agent's shell: the second process of the sandbox. Others are children of the first. */
  #shell(): number {
    if (this.#container !== null) return this.#containerProcess
    if (this.status === null) return this.child.pid
    const first = firstProcess(this.child, this.status)
    if (first === 0) return 0
    const isSecond = (pid: number): boolean =>
      /^NSpid:.*\t2$/m.test(readFileOr(`/proc/${pid}/status`, ''))
    return findDescendants(first).find(isSecond) ?? 0
  }

  kill(): void {
    this.#container?.kill()
    if (this.status === null) killTree(this.child)
    else killSandbox(this.child, this.status)
    // A process without a sandbox may have left the group and hold the output open.
    setTimeout(() => void this.#reader.cancel().catch(() => {}), DRAIN_MS).unref()
  }

  async close(): Promise<void> {
    this.#unwatch()
    this.kill()
    await this.child.exited
    killTree(this.child)
    this.hasEnded = true
  }
}

/** Creates a folder of files that the user of the job can read, whatever the server's umask. */
async function writeReadable(folder: string, files: Readonly<Record<string, string>>) {
  await mkdir(folder)
  await chmod(folder, 0o755)
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(folder, name), text)
    await chmod(join(folder, name), 0o644)
  }
}

async function startAgent(settings: JobSettings): Promise<Agent> {
  const { directory, paths, limits, env, sandbox, parentDeathPrefix, hasDoor, container } = settings
  if (container !== null) {
    const made = await container.create(`exec 2>&1\n${agentProgram(paths, settings)}`)
    return new Agent(spawnAgent(made.argv, '/', made.env), null, settings)
  }
  if (sandbox === null) {
    const script = `{ ${ulimitScript(limits)}; } 2>/dev/null; exec 2>&1\n${agentProgram(paths, { hasDoor: false, ports: new Map() })}`
    const all = { PATH, HOME: paths.home, TMPDIR: paths.tmp, LANG: 'C.UTF-8', TERM: 'dumb', ...env }
    const command = [...parentDeathPrefix, '/bin/sh', '-c', script]
    return new Agent(spawnAgent(command, paths.workspace, all), null, settings)
  }
  const layout = layoutOf(paths, hasDoor || settings.ports.size > 0)
  const prepared = await prepareSandbox(directory, layout, sandbox)
  const program = agentProgram(paths, settings)
  const script = sessionScript({ directory, layout, limits, env, ...prepared }, program)
  const command = [...parentDeathPrefix, '/bin/sh', '-c', script]
  return new Agent(spawnAgent(command, '/', MINIMAL_ENV), prepared.status, settings)
}

export class SandboxedJob implements RunningJob {
  #agent: Agent | null = null
  #count = 0
  #isClosed = false
  #stepEnded: Promise<unknown> = Promise.resolve()

  constructor(private readonly settings: JobSettings) {}

  get paths(): JobPaths {
    return this.settings.paths
  }

  step(options: StepOptions): Promise<StepResult> {
    const running = this.#stepEnded.then(() => this.#run(options))
    this.#stepEnded = running.catch(() => {})
    return running
  }

  /** Starts the sandbox before the first step. */
  start(): void {
    this.#stepEnded = this.#stepEnded.then(() => this.#liveAgent()).catch(() => {})
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#agent?.kill()
    await this.#stepEnded
    await this.#agent?.close()
    await this.settings.release()
  }

  async #run(options: StepOptions): Promise<StepResult> {
    const started = performance.now()
    const end = (ended: StepResult['ended'], exit_code: number | null): StepResult => ({
      ended,
      exit_code,
      duration_ms: Math.round(performance.now() - started),
    })
    if (this.#isClosed || options.signal?.aborted) return end('cancelled', null)
    const number = ++this.#count
    const folder = join(this.settings.directory.work, INPUT_PART, 'steps', `${number}`)
    await writeReadable(folder, { 'run.sh': options.script, ...options.files })
    try {
      const agent = await this.#liveAgent()
      const { why, exit } = await this.#follow(agent, number, options)
      agent.checkMemory()
      if (exit !== null && agent.exceeded === null) return end(why ?? 'exited', exit)
      await agent.close()
      this.#agent = null
      if (this.#isClosed) return end('cancelled', null)
      const ended = agent.exceeded ?? why
      return end(ended ?? ((await agent.hasStarted()) ? 'lost' : 'not_started'), null)
    } finally {
      // The files may contain secrets of this step.
      await rm(folder, { recursive: true, force: true })
    }
  }

  /** The agent; a new one when there is none or its sandbox has ended. */
  async #liveAgent(): Promise<Agent> {
    if (this.#agent?.isAlive) return this.#agent
    await this.#agent?.close()
    const agent = await startAgent(this.settings)
    if (this.#isClosed) agent.kill()
    return (this.#agent = agent)
  }

  /** Sends the step to the agent and passes its output on, until its mark or the output's end. */
  async #follow(
    agent: Agent,
    number: number,
    { output, timeoutMs, signal }: StepOptions,
  ): Promise<{ why: 'timed_out' | 'cancelled' | null; exit: number | null }> {
    const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('hex')
    const mark = new EndMark(nonce)
    const stop = new StepStop(agent)
    const timer =
      timeoutMs === undefined ? undefined : setTimeout(() => stop.begin('timed_out'), timeoutMs)
    const cancel = (): void => stop.begin('cancelled')
    signal?.addEventListener('abort', cancel, { once: true })
    try {
      agent.send(`${number} ${nonce}\n`)
      if (signal?.aborted) cancel()
      let chunk: Uint8Array | null = agent.rest
      for (agent.rest = new Uint8Array(0); chunk !== null; chunk = await agent.read()) {
        const split = mark.push(chunk)
        if (split.output.length > 0) await output(split.output)
        if (split.exit !== null) {
          agent.rest = Buffer.from(split.rest)
          return { why: stop.why, exit: split.exit }
        }
        // Output without end must leave turns to the rest of the server.
        await nextTurn()
      }
      const held = mark.end()
      if (held.length > 0) await output(held)
      return { why: stop.why, exit: null }
    } finally {
      clearTimeout(timer)
      stop.end()
      signal?.removeEventListener('abort', cancel)
    }
  }
}

/** Ends a step with signals that get stronger. */
class StepStop {
  why: 'timed_out' | 'cancelled' | null = null
  #timers: ReturnType<typeof setTimeout>[] = []
  #retry: ReturnType<typeof setTimeout> | undefined

  constructor(private readonly agent: Agent) {}

  begin(why: 'timed_out' | 'cancelled'): void {
    if (this.why !== null) return
    this.why = why
    const { agent } = this
    this.#interrupt()
    const later = (ms: number, run: () => void): void => void this.#timers.push(setTimeout(run, ms))
    later(INTERRUPT_MS, () => agent.signalStep('SIGTERM'))
    later(INTERRUPT_MS + TERMINATE_MS, () => agent.signalStep('SIGKILL'))
    later(INTERRUPT_MS + TERMINATE_MS + DRAIN_MS, () => agent.kill())
  }

  end(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    clearTimeout(this.#retry)
  }

  #interrupt(): void {
    if (this.agent.hasEnded || this.agent.signalStep('SIGINT')) return
    this.#retry = setTimeout(() => this.#interrupt(), RETRY_MS)
  }
}
