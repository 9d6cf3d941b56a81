/**
 * Containers of a job: services beside it, one in which its steps run, and single ones as steps. They
 * see the folders of the job and nothing else of the machine. `engine.ts` says what podman or docker
 * does for them; their network is limited before their program starts.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DOOR_PART } from '../job-directory.ts'
import { FORWARDER, INPUT_PART } from '../job.ts'
import { OomWatch } from '../cgroups.ts'
import { quote } from '../shell.ts'
import { watchLimits, type ExceededLimit } from '../watch-limits.ts'
import { TOO_MUCH, type ImageBuild } from './built-images.ts'
import type { Environment } from './client.ts'
import {
  isOfSteps,
  type BuildContainers,
  type BuildProgram,
  type ContainerEngine,
  type ContainerPlace,
  type ContainerSpec,
  type ImageBuilder,
  type ImageResult,
  type JobEngine,
  type JobEngineOptions,
  type NewContainer,
  type Output,
  type Prepared,
} from './engine.ts'
import { inNetworkOf } from './limit-network.ts'
import { pullImage, type ImageToPull } from './pull.ts'

export type ServiceSpec = ContainerSpec & {
  readonly name: string
  /** The port of the job by that of the container; null for any. */
  readonly ports: ReadonlyMap<number, number | null>
}

export type RunningService = {
  readonly name: string
  readonly id: string
  /** Ports of the loopback device of this machine by those of the container. */
  readonly ports: ReadonlyMap<number, number>
}

/** The container in which the steps of a job run. */
export type StepContainer = {
  /** Makes it for a program of `/bin/sh`. Returns the command that runs that, with its variables. */
  create(program: string): Promise<{ readonly argv: readonly string[]; readonly env: Environment }>
  /** The id of its first process on this machine; 0 when it does not run. */
  firstProcess(): Promise<number>
  /** How many of its processes the kernel has killed because the memory limit was reached. */
  countOomKills(): number
  kill(): void
}

export type ImageProgram = ContainerSpec & {
  readonly entrypoint: string | null
  readonly args: readonly string[]
  /** Ports of its loopback device, each with the socket of the door's folder behind it. */
  readonly forwards: ReadonlyMap<number, string>
}

export type JobContainersOptions = JobEngineOptions & {
  readonly engine: ContainerEngine
  readonly privateImages: string
  readonly onExceeded: (what: ExceededLimit) => void
}

type Purpose = 'steps' | 'service' | 'build'

type RunningContainer = {
  readonly pid: number
  readonly folders: readonly string[]
  readonly purpose: Purpose
  readonly oom: OomWatch
}

/** A container that was made, with the id of its own. */
type Created = Prepared & { readonly name: string; readonly purpose: Purpose }

const HEALTH_ATTEMPTS = 150
const HEALTH_DELAY_MS = 2_000
const PROCESS_DELAY_MS = 100
/** The exit code of a program that SIGKILL ended. */
const KILLED = '137'
const HAS_ENDED = new Set(['exited', 'stopped', 'dead', 'removing'])
/** A container beside the job. */
const SERVICE = { place: null, isShell: false, entrypoint: null, args: [] } as const

export class JobContainers {
  readonly #names: string[] = []
  readonly #running = new Map<string, RunningContainer>()
  readonly #removed = new Set<string>()
  /** Services that were seen to have ended. */
  readonly #ended = new Set<string>()
  #killedServices = 0
  readonly #prefix: string
  readonly #engine: ContainerEngine
  readonly #own: JobEngine
  #hasStepContainer = false
  /** Ends the build that goes on. */
  #stopBuild: ((what: ExceededLimit) => void) | null = null
  #heldBytes = 0
  #count = 0
  /** Ends with all removals that have begun. */
  #removals: Promise<unknown> = Promise.resolve()
  readonly #end = new AbortController()
  #unwatch: (() => void) | null = null

  constructor(private readonly options: JobContainersOptions) {
    this.#prefix = `hearth-${options.directory.id}`
    this.#engine = options.engine
    this.#own = options.engine.ofJob(options)
  }

  /** Fetches an image that is not here, or whose tag may have moved. */
  pull(image: ImageToPull, signal: AbortSignal): Promise<void> {
    return pullImage(image, {
      ...this.options,
      source: this.#own,
      signal: AbortSignal.any([signal, this.#end.signal]),
    })
  }

  /** What builds images of actions. */
  get builder(): ImageBuilder {
    const { isBuilt } = this.#own.builder
    return { isBuilt, build: (build) => this.#build(build) }
  }

  /** A build that takes more than the job may ends alone. */
  async #build(build: ImageBuild): Promise<void> {
    let exceeded: ExceededLimit | null = null
    const stop = new AbortController()
    this.#stopBuild = (what) => {
      exceeded ??= what
      stop.abort()
    }
    const signal = AbortSignal.any([build.signal, this.#end.signal, stop.signal])
    try {
      await this.#own.builder.build({ ...build, signal }, this.#buildContainers())
    } catch (error) {
      if (exceeded === null) throw error
      throw new Error(`the image could not be built: ${TOO_MUCH[exceeded]}`)
    } finally {
      this.#stopBuild = null
      this.#heldBytes = 0
    }
  }

  #buildContainers(): BuildContainers {
    return {
      pull: (image, signal) => this.pull(image, signal),
      reserveName: () => this.#newName(),
      execute: (program, output, signal) => this.#executeBuild(program, output, signal),
      remove: (names) => this.#remove(names),
      holdBytes: (bytes) => {
        this.#heldBytes = bytes
      },
    }
  }

  async #executeBuild(program: BuildProgram, output: Output, signal: AbortSignal) {
    const place = { mounts: program.mounts, hosts: [], cwd: null }
    const spec = { ...program, env: {}, args: [], credentials: null, isShell: false }
    const created = await this.#create({ ...spec, place, ports: new Map() }, 'build')
    return { ...(await this.#attach(created, output, signal)), name: created.name }
  }

  /** Starts a container beside the job. */
  async startService(spec: ServiceSpec): Promise<RunningService> {
    const wanted = new Map([...(await this.#exposed(spec.image)), ...spec.ports])
    const created = await this.#create({ ...SERVICE, ...spec, ports: wanted })
    const id = created.name
    await this.#engine.require(['start', id])
    void this.#follow(created).catch(() => {})
    const ports = await this.#own.portsOf(id, [...wanted.keys()])
    return { name: spec.name, id, ports }
  }

  /** Waits for a service that says whether it is ready. Returns what is wrong; null for nothing. */
  async awaitReady({ id }: RunningService, signal: AbortSignal): Promise<string | null> {
    for (let n = 0; n < HEALTH_ATTEMPTS && !signal.aborted; n++) {
      const { isRunning, isReady } = await this.#own.readinessOf(id, signal)
      if (signal.aborted) break
      if (!isRunning && (await this.#wasOutOfMemory(id))) return 'it was out of memory'
      if (!isRunning) return `it ended: ${(await this.#lastLines(id)) || 'it printed nothing'}`
      if (isReady) return null
      await Bun.sleep(HEALTH_DELAY_MS)
    }
    return signal.aborted ? 'the job was cancelled' : 'it did not become healthy'
  }

  /** The container for the steps. */
  stepContainer(spec: ContainerSpec, place: ContainerPlace): StepContainer {
    this.#hasStepContainer = true
    let created: Created | null = null
    return {
      create: async (program) => {
        const shell = { entrypoint: '/bin/sh', args: ['-c', program], isShell: true }
        created = await this.#create({ ...spec, ...shell, place, ports: new Map() })
        const argv = [this.#engine.name, 'start', '-a', '-i', created.name]
        return { argv, env: this.#engine.environment() }
      },
      firstProcess: async () => {
        if (created === null) return 0
        await this.#follow(created)
        return this.#awaitProcess(created.name)
      },
      countOomKills: () => this.#running.get(created?.name ?? '')?.oom.kills ?? 0,
      kill: () => {
        if (created !== null) void this.#removeContainers([created.name]).catch(() => {})
      },
    }
  }

  /** Runs an image to its end. */
  async run(
    program: ImageProgram,
    place: ContainerPlace,
    output: Output,
    signal: AbortSignal,
  ): Promise<ImageResult> {
    const { forwards, ...spec } = program
    const created = await this.#create({ ...spec, place, isShell: false, ports: new Map() })
    const endForwards = await this.#forward(created, forwards)
    try {
      return await this.#attach(created, output, signal)
    } finally {
      endForwards()
      await this.#remove([created.name])
      if (!this.#hasStepContainer) await this.#own.returnFolders()
    }
  }

  /** Starts a container and passes on what it prints until it ends. */
  async #attach(created: Created, output: Output, signal: AbortSignal): Promise<ImageResult> {
    const { name } = created
    const end = (): void => void this.#remove([name]).catch(() => {})
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted) end()
    const script = 'exec 2>&1; exec "$1" start -a "$2"'
    const child = Bun.spawn(['/bin/sh', '-c', script, 'sh', this.#engine.name, name], {
      env: { ...this.#engine.environment() },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'ignore',
    })
    void this.#follow(created).catch(() => {})
    try {
      for await (const part of child.stdout) await output(part)
      const exit = await child.exited
      return { exit, wasOutOfMemory: exit !== 0 && (await this.#wasOutOfMemory(name)) }
    } finally {
      signal.removeEventListener('abort', end)
    }
  }

  /** Ends all containers of the job, with their volumes. */
  async close(): Promise<void> {
    this.#end.abort()
    this.#unwatch?.()
    await this.#remove(this.#names.splice(0))
    // Docker refuses to remove what it is removing, and only the first call waits for that.
    await this.#removals
  }

  async #remove(names: readonly string[]): Promise<void> {
    for (const name of names) {
      this.#running.get(name)?.oom.stop()
      this.#running.delete(name)
    }
    await this.#removeContainers(names)
  }

  async #removeContainers(names: readonly string[]): Promise<void> {
    for (const name of names) this.#removed.add(name)
    const removal = this.#own.remove(names)
    this.#removals = Promise.allSettled([this.#removals, removal])
    await removal
  }

  #newName(): string {
    if (this.#end.signal.aborted) throw new Error('the job has ended')
    const name = `${this.#prefix}-${++this.#count}`
    this.#names.push(name)
    return name
  }

  /** Makes a container whose network is limited; its program does not run yet. */
  async #create(
    wanted: Omit<NewContainer, 'name' | 'variablesFile'>,
    purpose: Purpose = 'steps',
  ): Promise<Created> {
    const name = this.#newName()
    const variablesFile = join(this.options.directory.folder, `variables-${this.#count}`)
    const container = { ...wanted, name, variablesFile }
    const created = {
      ...(await this.#own.create(container)),
      name,
      purpose: isOfSteps(container) ? purpose : ('service' as const),
    }
    if (created.pid > 0) this.#track(created, created.pid)
    if (this.#end.signal.aborted) {
      await this.#remove([name])
      throw new Error('the job has ended')
    }
    return created
  }

  #track({ name, folders, purpose }: Created, pid: number): void {
    const all = [...folders, ...this.#own.foldersOf(pid)]
    this.#running.set(name, { pid, folders: all, purpose, oom: new OomWatch(pid) })
    this.#watch()
  }

  /** Waits for the first process of a container that is started, where it had none before. */
  async #follow(created: Created): Promise<number> {
    if (created.pid > 0) return created.pid
    const pid = await this.#awaitProcess(created.name)
    if (pid > 0 && !this.#removed.has(created.name)) this.#track(created, pid)
    return pid
  }

  /** Makes sockets of the door's folder ports of a container. Returns what ends that. */
  async #forward(
    { networkPid }: Created,
    forwards: ReadonlyMap<number, string>,
  ): Promise<() => void> {
    const { work } = this.options.directory
    if (networkPid === 0 || forwards.size === 0) return () => {}
    const lines = [...forwards].map(([port, socket]) =>
      [join(work, INPUT_PART, FORWARDER), String(port), join(work, DOOR_PART, socket)]
        .map(quote)
        .join(' '),
    )
    // Its first process reads until this server closes the pipe or ends; the others end with that.
    const script = [...lines.map((line) => `${line} </dev/null || exit`), 'echo', 'exec cat'].join(
      '\n',
    )
    const own = ['unshare', '--pid', '--fork', '--kill-child', '/bin/sh', '-c', script]
    const child = Bun.spawn([...this.#engine.asUsers(), ...inNetworkOf(networkPid, own)], {
      env: { ...this.#engine.environment() },
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'ignore',
    })
    const reader = child.stdout.getReader()
    const { done } = await reader.read()
    if (done) throw new Error('the ports of the job could not be given to a container')
    return () => void child.stdin.end()
  }

  /** Watches memory and disk of all containers together. */
  #watch(): void {
    const running = (): RunningContainer[] => [...this.#running.values()]
    this.#unwatch ??= watchLimits({
      pids: () => running().map(({ pid }) => pid),
      folders: () => [this.options.directory.work, ...running().flatMap(({ folders }) => folders)],
      du: { argv: [...this.#engine.asUsers(), 'du'], env: this.#engine.environment() },
      limits: this.options.limits,
      kernelLimitsMemory: false,
      countOomKills: () => this.#countKills(),
      heldBytes: () => this.#heldBytes,
      onExceeded: (what) => this.#endExceeded(what),
    })
  }

  #endExceeded(what: ExceededLimit): void {
    if (this.#stopBuild === null) {
      this.options.onExceeded(what)
      void this.close().catch(() => {})
      return
    }
    this.#stopBuild(what)
    this.#unwatch = null
    this.#watch()
  }

  /** Those of the container of the steps are counted at the end of each step. */
  #countKills(): number {
    let kills = this.#killedServices
    for (const [name, { purpose, pid, oom }] of this.#running) {
      if (purpose === 'steps') continue
      kills += oom.kills
      // The end of a build asks by itself.
      if (purpose === 'build' || existsSync(`/proc/${pid}`) || this.#ended.has(name)) continue
      this.#ended.add(name)
      void this.#wasOutOfMemory(name).then((wasKilled) => {
        if (wasKilled) this.#killedServices++
      })
    }
    return kills
  }

  /**
   * Whether the kernel ended a container because its memory limit was reached. podman 4.3 does not
   * always notice, so its group tells, or a group above it where its own was gone too soon.
   */
  async #wasOutOfMemory(name: string): Promise<boolean> {
    const oom = this.#running.get(name)?.oom
    if (oom !== undefined && oom.kills > 0) return true
    const format = '{{.State.OOMKilled}} {{.State.ExitCode}}'
    const found = await this.#engine.call(['inspect', '--format', format, name])
    const [isKnown, exit] = found.output.split(' ')
    return isKnown === 'true' || (exit === KILLED && (oom?.hasKillAbove ?? false))
  }

  async #exposed(image: string): Promise<[number, null][]> {
    const format = '{{json .Config.ExposedPorts}}'
    const text = await this.#engine.require(['image', 'inspect', '--format', format, image])
    const found = Object.keys((JSON.parse(text || 'null') as object | null) ?? {})
    return found.flatMap((key): [number, null][] => {
      const [, port] = /^(\d{1,5})(?:\/tcp)?$/.exec(key) ?? []
      return port === undefined ? [] : [[Number(port), null]]
    })
  }

  async #lastLines(id: string): Promise<string> {
    const { output, errors } = await this.#engine.call(['logs', '--tail', '5', id])
    return `${output}\n${errors}`.trim().replaceAll('\n', ' | ').slice(0, 500)
  }

  /** The first process of a container that runs, or is about to; 0 for one that has ended. */
  async #awaitProcess(name: string): Promise<number> {
    const format = '{{.State.Pid}} {{.State.Status}}'
    for (let n = 0; n < HEALTH_ATTEMPTS && !this.#removed.has(name); n++) {
      const found = await this.#engine.call(['inspect', '--format', format, name])
      const [pid, status = ''] = found.output.split(' ')
      if (found.exit === 0 && Number(pid) > 0) return Number(pid)
      if (HAS_ENDED.has(status)) break
      await Bun.sleep(PROCESS_DELAY_MS)
    }
    return 0
  }
}
