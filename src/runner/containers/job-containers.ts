/**
 * Containers of a job, by podman: services beside it, one in which its steps run, and single ones as
 * steps. They see the folders of the job and nothing else of the machine. Their network is podman's
 * slirp4netns with the rules of jobs, which are set before the program of the container starts.
 */
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DOOR_PART, type JobDirectory } from '../job-directory.ts'
import { FORWARDER, INPUT_PART } from '../job.ts'
import { OomWatch, type ControlGroup } from '../cgroups.ts'
import type { CommandLimits } from '../limits.ts'
import { internetFiles, linkNetwork, nameServersOf, type Network } from '../network.ts'
import { quote } from '../shell.ts'
import { UIDS_OF_JOB } from '../uid-pool.ts'
import { watchLimits, type ExceededLimit } from '../watch-limits.ts'
import { buildImage, type ImageBuild } from './build-image.ts'
import { evictBuiltImages, isBuilt } from './built-images.ts'
import {
  asUsersOfContainers,
  CAPABILITIES,
  clientEnvironment,
  diskMeasure,
  LABEL,
  podman,
  PODMAN,
  requirePodman,
  variablesOf,
  withVariables,
  type Environment,
} from './podman.ts'
import { findProfile, profileOfJobs } from './seccomp-profile.ts'
import { pullImage, type FindRegistry, type ImageToPull } from './pull.ts'

export type ContainerSpec = ImageToPull & {
  readonly env: Readonly<Record<string, string>>
  /** Words of `options` that are allowed. */
  readonly options: readonly string[]
}

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

/** A folder or file of the machine at a path of the container. */
export type ContainerMount = {
  readonly from: string
  readonly to: string
  readonly writable: boolean
}

/** What a container that works for the job sees and reaches. */
export type ContainerPlace = {
  readonly mounts: readonly ContainerMount[]
  /** Names that lead to its loopback device. */
  readonly hosts: readonly string[]
  readonly cwd: string
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

export type JobContainersOptions = {
  readonly directory: JobDirectory
  /** The folder of all jobs of the runner. */
  readonly runnerDirectory: string
  readonly limits: CommandLimits
  readonly network: Network
  /** The uid of the job, which is its containers' root; null unless podman runs as root. */
  readonly uid: number | null
  readonly privateImages: string
  readonly findRegistry: FindRegistry
  /** Makes a control group with the limits of the job; `group` is null where there are none. */
  readonly limitGroup: () => { readonly group: ControlGroup | null; release(): Promise<void> }
  readonly kernelLimitsMemory: boolean
  readonly onExceeded: (what: ExceededLimit) => void
}

/** How the program of an image ended. */
export type ImageResult = { readonly exit: number; readonly wasOutOfMemory: boolean }

type RunningContainer = {
  readonly pid: number
  readonly folders: readonly string[]
  readonly role: Role
  readonly oom: OomWatch
}

type Output = (bytes: Uint8Array) => Promise<void> | void
type Role = 'service' | 'steps'

const HEALTH_ATTEMPTS = 150
const HEALTH_DELAY_MS = 2_000
const PROCESS_DELAY_MS = 100
/** The exit code of a program that SIGKILL ended. */
const KILLED = '137'

/** What podman keeps of the output of a service. */
const SERVICE_LOG = ['--log-driver', 'k8s-file', '--log-opt', 'max-size=1mb']
const NO_LOG = ['--log-driver', 'none']

export class JobContainers {
  readonly #names: string[] = []
  readonly #running = new Map<string, RunningContainer>()
  /** Services that were seen to have ended. */
  readonly #ended = new Set<string>()
  #killedServices = 0
  readonly #prefix: string
  #profile: Promise<string> | null = null
  #count = 0
  readonly #end = new AbortController()
  #unwatch: (() => void) | null = null

  constructor(private readonly options: JobContainersOptions) {
    this.#prefix = `hearth-${options.directory.id}`
  }

  /** Fetches an image that is not here, or whose tag may have moved. */
  pull(image: ImageToPull, signal: AbortSignal): Promise<void> {
    return pullImage(image, {
      ...this.options,
      signal: AbortSignal.any([signal, this.#end.signal]),
    })
  }

  /** Builds an image. Throws an Error with one line for the author. */
  async build(build: ImageBuild): Promise<void> {
    const signal = AbortSignal.any([build.signal, this.#end.signal])
    const { group, release } = this.options.limitGroup()
    try {
      const profile = await (this.#profile ??= this.#writeProfile())
      await buildImage({ ...build, signal }, { ...this.options, profile, group })
      await evictBuiltImages()
    } finally {
      await release()
    }
  }

  isBuilt(image: string): Promise<'no' | 'old' | 'fresh'> {
    return isBuilt(image)
  }

  /** Starts a container beside the job. */
  async startService(spec: ServiceSpec): Promise<RunningService> {
    const local = (host: number | null): string =>
      this.options.network === 'machine' && host !== null ? String(host) : ''
    const wanted = new Map([...(await this.#exposed(spec.image)), ...spec.ports])
    const name = await this.#create(spec, 'service', [
      ...SERVICE_LOG,
      ...[...wanted].flatMap(([port, host]) => ['-p', `127.0.0.1:${local(host)}:${port}`]),
      ...['--', spec.image],
    ])
    await requirePodman(['start', name])
    const ports = new Map<number, number>()
    for (const port of wanted.keys()) {
      const line = await requirePodman(['port', name, `${port}/tcp`])
      ports.set(port, Number(line.split('\n')[0]?.split(':').at(-1)))
    }
    return { name: spec.name, id: name, ports }
  }

  /** Waits for a service that says whether it is ready. Returns what is wrong; null for nothing. */
  async awaitReady({ id }: RunningService, signal: AbortSignal): Promise<string | null> {
    const format = '{{.State.Running}} {{if .Config.Healthcheck}}checked{{end}}'
    for (let n = 0; n < HEALTH_ATTEMPTS && !signal.aborted; n++) {
      const found = await podman(['inspect', '--format', format, id], { signal })
      const [isRunning, checked] = found.output.split(' ')
      if (signal.aborted) break
      if (isRunning !== 'true' && (await this.#wasOutOfMemory(id))) return 'it was out of memory'
      if (isRunning !== 'true')
        return `it ended: ${(await this.#lastLines(id)) || 'it printed nothing'}`
      if (
        checked !== 'checked' ||
        (await podman(['healthcheck', 'run', id], { signal })).exit === 0
      )
        return null
      await Bun.sleep(HEALTH_DELAY_MS)
    }
    return signal.aborted ? 'the job was cancelled' : 'it did not become healthy'
  }

  /** The container for the steps. */
  stepContainer(spec: ContainerSpec, place: ContainerPlace): StepContainer {
    let name = ''
    return {
      create: async (program) => {
        const shell = ['--entrypoint', '/bin/sh', '--', spec.image, '-c', program]
        const more = ['-i', '--user', '0:0', ...NO_LOG, ...placeArguments(place), ...shell]
        name = await this.#create(spec, 'steps', more)
        return { argv: [PODMAN, 'start', '-a', '-i', name], env: clientEnvironment() }
      },
      firstProcess: () => this.#awaitProcess(name),
      countOomKills: () => this.#running.get(name)?.oom.kills ?? 0,
      kill: () => void podman(['rm', '-f', '-t', '0', '-v', '--ignore', name]).catch(() => {}),
    }
  }

  /** Runs an image to its end. */
  async run(
    program: ImageProgram,
    place: ContainerPlace,
    output: Output,
    signal: AbortSignal,
  ): Promise<ImageResult> {
    const { entrypoint, image, args, forwards } = program
    const name = await this.#create(program, 'steps', [
      ...[...NO_LOG, ...placeArguments(place)],
      ...(entrypoint === null ? [] : ['--entrypoint', entrypoint]),
      ...['--', image, ...args],
    ])
    const end = (): void => void this.#remove([name]).catch(() => {})
    const endForwards = await this.#forward(name, forwards)
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted) end()
    const script = `exec 2>&1; exec ${PODMAN} start -a "$1"`
    const child = Bun.spawn(['/bin/sh', '-c', script, 'sh', name], {
      env: clientEnvironment(),
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'ignore',
    })
    try {
      for await (const part of child.stdout) await output(part)
      const exit = await child.exited
      return { exit, wasOutOfMemory: exit !== 0 && (await this.#wasOutOfMemory(name)) }
    } finally {
      signal.removeEventListener('abort', end)
      endForwards()
      await this.#remove([name])
    }
  }

  /** Ends all containers of the job, with their volumes. */
  async close(): Promise<void> {
    this.#end.abort()
    this.#unwatch?.()
    await this.#remove(this.#names.splice(0))
  }

  async #remove(names: readonly string[]): Promise<void> {
    for (const name of names) {
      this.#running.get(name)?.oom.stop()
      this.#running.delete(name)
    }
    if (names.length > 0) await podman(['rm', '-f', '-t', '0', '-v', '--ignore', ...names])
  }

  /** Makes a container with its namespaces and its network; its program does not run yet. */
  async #create(spec: ContainerSpec, role: Role, more: readonly string[]): Promise<string> {
    if (this.#end.signal.aborted) throw new Error('the job has ended')
    const name = `${this.#prefix}-${++this.#count}`
    this.#names.push(name)
    const profile = await (this.#profile ??= this.#writeProfile())
    const path = join(this.options.directory.folder, `variables-${this.#count}`)
    // The last option of one name counts, so those of the author stand first.
    await withVariables(path, variablesOf(spec.env), (argv, env) =>
      requirePodman(
        [
          ...['create', ...spec.options, ...this.#common(name, profile), ...this.#networkOf(role)],
          ...[...argv, ...more],
        ],
        { env },
      ),
    )
    await this.#begin(name, role)
    if (this.#end.signal.aborted) {
      await this.#remove([name])
      throw new Error('the job has ended')
    }
    return name
  }

  /** The filter of system calls of all containers of the job. */
  async #writeProfile(): Promise<string> {
    const path = join(this.options.directory.folder, 'seccomp.json')
    const profile = findProfile()
    if (profile === null) throw new Error('podman has no seccomp.json here')
    await writeFile(path, profileOfJobs(await readFile(profile, 'utf8')))
    return path
  }

  #common(name: string, profile: string): string[] {
    const { limits, runnerDirectory, uid } = this.options
    const { memoryBytes, processes, files } = limits
    const map = `0:${uid}:${UIDS_OF_JOB}`
    return [
      ...['--name', name, '--label', `${LABEL}=${runnerDirectory}`, '--pull', 'never'],
      ...['--security-opt', 'no-new-privileges', '--security-opt', `seccomp=${profile}`],
      ...['--cap-drop', 'all'],
      ...CAPABILITIES.flatMap((capability) => ['--cap-add', capability]),
      ...(uid === null ? [] : ['--uidmap', map, '--gidmap', map]),
      ...['--memory', String(memoryBytes), '--pids-limit', String(processes)],
      ...['--memory-swap', String(memoryBytes), '--ulimit', `nofile=${files}:${files}`],
      // Without it podman asks for more than a server without CAP_SYS_RESOURCE may give.
      ...['--ulimit', `nproc=${processes}:${processes}`],
    ]
  }

  /** Services always have a network, because the job reaches their ports by it. */
  #networkOf(role: Role): string[] {
    const { network } = this.options
    if (network === 'machine') return role === 'steps' ? ['--network', 'host'] : []
    const servers = nameServersOf(internetFiles().resolv)
    const slirp = `allow_host_loopback=false,enable_ipv6=false,mtu=65520,cidr=${linkNetwork()}`
    return network === 'none' && role === 'steps'
      ? ['--network', 'none']
      : ['--network', `slirp4netns:${slirp}`, ...servers.flatMap((address) => ['--dns', address])]
  }

  /** Makes the namespaces of a container and sets the rules of its network. */
  async #begin(name: string, role: Role): Promise<void> {
    await requirePodman(['init', name])
    const format =
      '{{.State.Pid}}\n{{.GraphDriver.Data.UpperDir}}{{range .Mounts}}{{if eq .Type "volume"}}\n{{.Source}}{{end}}{{end}}'
    const found = (await requirePodman(['inspect', '--format', format, name])).split('\n')
    const [pid = '', ...folders] = found
    this.#running.set(name, {
      pid: Number(pid),
      folders: folders.filter((folder) => folder.startsWith('/')),
      role,
      oom: new OomWatch(Number(pid)),
    })
    this.#watch()
    const rules = this.#rules(role)
    if (rules === null) return
    const child = Bun.spawn(inNetworkOf(pid, ['ip', '-batch', '-']), {
      env: clientEnvironment(),
      stdin: Buffer.from(rules),
      stdout: 'ignore',
      stderr: 'pipe',
    })
    const said = await new Response(child.stderr).text()
    if ((await child.exited) !== 0)
      throw new Error(
        `the network of a container could not be limited: ${said.trim().slice(0, 200)}`,
      )
  }

  #rules(role: Role): string | null {
    const { network } = this.options
    if (network === 'internet') return internetFiles().rules
    return network === 'machine' || role === 'steps'
      ? null
      : 'rule add pref 20 to 0.0.0.0/0 unreachable\n'
  }

  /** Makes sockets of the door's folder ports of a container. Returns what ends that. */
  async #forward(name: string, forwards: ReadonlyMap<number, string>): Promise<() => void> {
    const pid = this.#running.get(name)?.pid ?? 0
    const { work } = this.options.directory
    if (pid === 0 || forwards.size === 0 || this.options.network === 'machine') return () => {}
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
    const child = Bun.spawn(inNetworkOf(String(pid), own), {
      env: clientEnvironment(),
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
      du: diskMeasure(),
      limits: this.options.limits,
      kernelLimitsMemory: false,
      countOomKills: () => this.#countKillsOfServices(),
      onExceeded: (what) => {
        this.options.onExceeded(what)
        void this.close().catch(() => {})
      },
    })
  }

  /** Those of the container of the steps are counted at the end of each step. */
  #countKillsOfServices(): number {
    let kills = this.#killedServices
    for (const [name, { role, pid, oom }] of this.#running) {
      if (role !== 'service') continue
      kills += oom.kills
      if (existsSync(`/proc/${pid}`) || this.#ended.has(name)) continue
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
    const [isKnown, exit] = (await podman(['inspect', '--format', format, name])).output.split(' ')
    return isKnown === 'true' || (exit === KILLED && (oom?.hasKillAbove ?? false))
  }

  async #exposed(image: string): Promise<[number, null][]> {
    const format = '{{json .Config.ExposedPorts}}'
    const text = await requirePodman(['image', 'inspect', '--format', format, image])
    const found = Object.keys((JSON.parse(text || 'null') as object | null) ?? {})
    return found.flatMap((key): [number, null][] => {
      const [, port] = /^(\d{1,5})(?:\/tcp)?$/.exec(key) ?? []
      return port === undefined ? [] : [[Number(port), null]]
    })
  }

  async #lastLines(id: string): Promise<string> {
    const { output, errors } = await podman(['logs', '--tail', '5', id])
    return `${output}\n${errors}`.trim().replaceAll('\n', ' | ').slice(0, 500)
  }

  async #awaitProcess(name: string): Promise<number> {
    for (let n = 0; n < HEALTH_ATTEMPTS; n++) {
      const found = await podman(['inspect', '--format', '{{.State.Pid}}', name])
      if (found.exit === 0 && Number(found.output) > 0) return Number(found.output)
      await Bun.sleep(PROCESS_DELAY_MS)
    }
    return 0
  }
}

const placeArguments = ({ mounts, hosts, cwd }: ContainerPlace): string[] => [
  ...mounts.flatMap(({ from, to, writable }) => ['-v', `${from}:${to}:${writable ? 'rw' : 'ro'}`]),
  ...hosts.flatMap((host) => ['--add-host', `${host}:127.0.0.1`]),
  ...['--workdir', cwd],
]

/** A command in the network namespace of a process of a container. */
const inNetworkOf = (pid: string, command: readonly string[]): string[] => [
  ...asUsersOfContainers(),
  ...['nsenter', `--net=/proc/${pid}/ns/net`, ...command],
]
