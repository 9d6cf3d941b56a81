/**
 * Runs untrusted commands. One runner exists per installation. It probes which isolation the machine
 * offers and creates directories for jobs. Without isolation it runs nothing, unless the operator
 * has switched isolation off.
 */
import { existsSync } from 'node:fs'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { findBubblewrap, type Bubblewrap, type BubblewrapChoice } from './bubblewrap.ts'
import { bundledProgram } from './bundled.ts'
import {
  JobContainers,
  type JobContainersOptions,
  type StepContainer,
} from './containers/job-containers.ts'
import { callClient } from './containers/client.ts'
import { engineOf, type EngineName } from './containers/engines.ts'
import type { ContainerEngine } from './containers/engine.ts'
import { findControlGroups, type ControlGroup, type ControlGroups } from './cgroups.ts'
import { describeIsolation, type Isolation } from './isolation.ts'
import {
  FORWARDER,
  hostPaths,
  INPUT_PART,
  JOB_PARTS,
  SandboxedJob,
  sandboxPaths,
  type JobPaths,
  type RunningJob,
} from './job.ts'
import type { CommandLimits } from './limits.ts'
import { runUnsandboxed, runSandboxed, type CommandResult, type RunCommandOptions } from './run.ts'
import { INTERNET_PROGRAMS, type Network } from './network.ts'
import {
  openProgramDirectory,
  PROGRAM_PARTS,
  startProgram,
  type ProgramOptions,
  type RunningProgram,
} from './program.ts'
import { MOUNT_POINTS, type SandboxSettings } from './sandbox.ts'
import { seccompFilter } from './seccomp.ts'
import { MINIMAL_ENV, PATH } from './shell.ts'
import {
  changeOwner,
  createJobDirectory,
  DOOR_PART,
  doorSocket,
  proxySocket,
  removeTree,
  sweepJobDirectories,
  type JobDirectory,
} from './job-directory.ts'
import { WaitingJob, type JobKind, type StartedJob } from './waiting-job.ts'
import { COMMAND_UIDS, UidPool } from './uid-pool.ts'

export type RunnerOptions = {
  /** The parent folder of job directories; nothing else is in it. */
  readonly directory: string
  readonly isolation: 'required' | 'none'
  /** Whether commands may use the network of this machine. */
  readonly network: boolean
  /** Folders with programs, besides the system's, that commands may read. */
  readonly readable: readonly string[]
  /** Folders that commands must never see. */
  readonly hidden: readonly string[]
  /** The program that has containers of jobs. The folder keeps which images only some may use. */
  readonly containers?: { readonly program: EngineName; readonly privateImages: string } | null
  /** Whether a started sandbox waits for the next job; not unless given. */
  readonly keepsOneWaiting?: boolean
  /** Which bubblewrap may be used; any unless given. */
  readonly bubblewrap?: BubblewrapChoice
}

export type Runner = {
  /** The isolation of this machine; probed once, at the first call. */
  isolation(): Promise<Isolation>
  /**
   * Removes job directories that earlier processes left. To be called at start, before anything
   * runs, by the only process that runs commands there.
   */
  sweep(): Promise<void>
  /** Creates an empty directory. `id` consists of `a-z 0-9 _ -`. */
  createDirectory(id: string): Promise<JobDirectory>
  /** Makes the user that commands run as the owner of a filled directory. */
  handOver(directory: JobDirectory): Promise<void>
  /** Runs one command in a directory. Returns `not_started` when there is no isolation. */
  run(options: RunCommandOptions): Promise<CommandResult>
  /** Creates the directory of a job with several steps. `id` consists of `a-z 0-9 _ -`. */
  /** `kind` is what it is for, where that is known; one that waits may be given, with another id. */
  createJobDirectory(id: string, kind?: JobKind): Promise<JobDirectory>
  /** The paths of a job as its steps will see them. Throws when there is no isolation. */
  jobPaths(directory: JobDirectory, name: string): Promise<JobPaths>
  /**
   * Begins a job in a filled directory. `name` is the last part of the workspace's path. The
   * sandbox starts with the first step. Throws when there is no isolation.
   */
  openJob(options: OpenJobOptions): Promise<RunningJob>
  /**
   * The directory of a program below a parent folder that `sweep` leaves alone. One that is kept
   * has its files and its home already. `id` consists of `a-z 0-9 _ -`.
   */
  openProgramDirectory(
    parent: string,
    id: string,
    options: { readonly isKept: boolean },
  ): Promise<JobDirectory>
  /** Makes a folder empty that a program has filled. */
  emptyFolder(folder: string): Promise<void>
  /** Starts a program in a filled directory. Throws when there is no isolation. */
  openProgram(options: ProgramOptions): Promise<RunningProgram>
  /** Returns false when something could not be removed; `sweep` tries again. */
  removeDirectory(directory: JobDirectory): Promise<boolean>
  /** Why jobs cannot have the network `internet` here; null when they can. Tried out once. */
  internetFault(): Promise<string | null>
  /** Why jobs cannot have containers here; null when they can. Tried out once. */
  containersFault(): Promise<string | null>
  /** The containers of a job, before it is opened. */
  containersOf(options: ContainersOfJob): Promise<JobContainers>
  /** Whether jobs can have a door here. */
  offersDoors(): Promise<boolean>
  /** Ends the sandbox that waits. */
  close(): Promise<void>
}

/** What the containers of a job need to know of it. */
export type ContainersOfJob = Pick<
  JobContainersOptions,
  'directory' | 'limits' | 'network' | 'findRegistry' | 'onExceeded'
>

export type OpenJobOptions = {
  readonly directory: JobDirectory
  readonly name: string
  /** The limits of all steps together; `timeMs` and `outputBytes` are not used. */
  readonly limits: CommandLimits
  readonly env: Readonly<Record<string, string>>
  /** The network of its steps; that of commands unless given. Without a sandbox always the machine's. */
  readonly network?: Network
  /**
   * Whether it reaches the forge at `JOB_DOOR_URL`; not for the network of the machine. The server
   * listens on the socket of the directory before.
   */
  readonly hasDoor?: boolean
  /** Ports of its loopback device, each with a socket beside that of the door; the server listens. */
  readonly ports?: ReadonlyMap<number, string>
  /** Where its steps run in place of a sandbox. */
  readonly container?: StepContainer
}

const NO_CONTAINERS = 'jobs have no containers here'

const TRIAL_LIMITS: CommandLimits = {
  timeMs: 20_000,
  memoryBytes: 256 * 1024 ** 2,
  diskBytes: 64 * 1024 ** 2,
  processes: 64,
  files: 256,
  outputBytes: 65_536,
}

/** Removing a control group fails for a moment after its processes were killed. */
const REMOVE_GROUP_ATTEMPTS = 20
const REMOVE_GROUP_DELAY_MS = 50

/** Prints the surroundings of a sandboxed command; `findTrialFault` checks the output. */
const TRIAL_COMMAND = [
  'echo uid=$(id -u)',
  'echo devices=$(tail -n +3 /proc/net/dev | tr -d " " | cut -d: -f1 | tr "\\n" ,)',
  'for name in "Max processes" "Max data size" "Max file size" "Max open files"',
  'do grep "^$name" /proc/self/limits; done',
  'touch /trial 2>/dev/null && echo root-is-writable',
  'ls / | tr "\\n" ,; echo',
  'echo written >/build/trial && cat /build/trial',
].join('\n')

/** The first guarantee that the trial shows to be broken; null when all hold. */
function findTrialFault(text: string, network: boolean): string | null {
  const limit = (name: string, value: number): string | null =>
    new RegExp(`^${name}\\s+${value}\\s+${value}\\s`, 'm').test(text)
      ? null
      : `the limit "${name.toLowerCase()}" could not be set`
  if (!text.includes('uid=1000')) return 'the user inside is not the one that was asked for'
  if (!network && !/^devices=(lo,)?$/m.test(text)) return 'the network could not be taken away'
  if (text.includes('root-is-writable')) return 'the root of the file system can be written to'
  if (!text.includes('written')) return 'the working folder cannot be written to'
  return (
    limit('Max processes', TRIAL_LIMITS.processes) ??
    limit('Max data size', TRIAL_LIMITS.memoryBytes) ??
    limit('Max file size', TRIAL_LIMITS.diskBytes) ??
    limit('Max open files', TRIAL_LIMITS.files)
  )
}

const isInstalled = (program: string): boolean => Bun.which(program, { PATH }) !== null

/**
 * The command prefix with which the kernel kills a process when its parent ends (setpriv(1) of
 * util-linux; PR_SET_PDEATHSIG in prctl(2)). Empty where setpriv is missing.
 */
async function findParentDeathPrefix(): Promise<readonly string[]> {
  const prefix = ['setpriv', '--pdeathsig', 'KILL']
  if (!isInstalled('setpriv')) return []
  const child = Bun.spawn([...prefix, 'true'], {
    env: MINIMAL_ENV,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  })
  return (await child.exited) === 0 ? prefix : []
}

const missing = (reason: string): Isolation => ({ kind: 'missing', reason })

async function removeGroup(group: ControlGroup | null): Promise<void> {
  for (let n = 0; group && !group.remove() && n < REMOVE_GROUP_ATTEMPTS; n++)
    await Bun.sleep(REMOVE_GROUP_DELAY_MS)
}

export const createRunner = (options: RunnerOptions): Runner => new CommandRunner(options)

class CommandRunner implements Runner {
  readonly #isRoot = process.getuid?.() === 0
  readonly #seccomp = seccompFilter(process.arch)
  readonly #uids: UidPool
  readonly #engine: ContainerEngine | null
  #groups: ControlGroups | null = null
  #groupCount = 0
  #parentDeathPrefix: readonly string[] = []
  #bubblewrap: Bubblewrap | null = null
  #probed: Promise<Isolation> | null = null
  #internet: Promise<string | null> | null = null
  #containers: Promise<string | null> | null = null
  /** Those that waited, by the id of their directory, until their job is opened. */
  readonly #taken = new Map<string, RunningJob>()
  #waitingCount = 0
  readonly #waiting = new WaitingJob(
    (kind) => this.#startWaiting(kind),
    async ({ directory, job }) => {
      await job.close()
      await this.removeDirectory(directory)
    },
  )

  constructor(private readonly options: RunnerOptions) {
    this.#engine = options.containers ? engineOf(options.containers.program) : null
    // Processes of one machine begin at different places.
    const start = this.#engine?.keepsUids
      ? Number(Bun.hash.crc32(options.directory))
      : process.pid * 16
    this.#uids = new UidPool(this.#engine?.uids ?? COMMAND_UIDS, start)
  }

  isolation(): Promise<Isolation> {
    return (this.#probed ??= this.#probe())
  }

  internetFault(): Promise<string | null> {
    return (this.#internet ??= this.#tryInternet())
  }

  containersFault(): Promise<string | null> {
    return (this.#containers ??= this.#findContainersFault())
  }

  async #findContainersFault(): Promise<string | null> {
    const { kind } = await this.isolation()
    if (kind !== 'bubblewrap') return 'jobs are not isolated here'
    return this.#engine === null ? NO_CONTAINERS : this.#engine.fault()
  }

  async containersOf(options: ContainersOfJob): Promise<JobContainers> {
    const { containers } = this.options
    if (!containers || this.#engine === null) throw new Error(NO_CONTAINERS)
    await this.#writeForwarder(options.directory)
    return new JobContainers({
      ...options,
      engine: this.#engine,
      runnerDirectory: this.options.directory,
      uid: this.#isRoot ? this.#uids.of(options.directory.id) : null,
      privateImages: containers.privateImages,
      limitGroup: () => {
        const group = this.#createGroup(options.limits)
        return { group, release: () => removeGroup(group) }
      },
      kernelLimitsMemory: this.#groups?.limits.includes('memory') ?? false,
    })
  }

  close(): Promise<void> {
    return this.#waiting.clear()
  }

  async offersDoors(): Promise<boolean> {
    const { kind } = await this.isolation()
    return kind === 'bubblewrap' && (await bundledProgram('forward')) !== null
  }

  async sweep(): Promise<void> {
    await this.#engine?.sweep(this.options.directory)
    for (const name of await sweepJobDirectories(this.options.directory))
      await this.#removeAsUsers(join(this.options.directory, name))
  }

  /** Removes what users of containers wrote, who are others than that of this process. */
  async #removeAsUsers(folder: string): Promise<boolean> {
    const prefix = this.#engine?.asUsers() ?? []
    if (prefix.length === 0) return false
    const env = this.#engine?.environment() ?? {}
    return (await callClient([...prefix, 'rm', '-rf', '--', folder], { env })).exit === 0
  }

  createDirectory(id: string): Promise<JobDirectory> {
    return createJobDirectory(this.options.directory, id)
  }

  async handOver({ id, work }: JobDirectory): Promise<void> {
    if (this.#isRoot && this.options.isolation !== 'none')
      await changeOwner(this.#uids.of(id), work)
  }

  async removeDirectory({ id, folder }: JobDirectory): Promise<boolean> {
    await this.#taken.get(id)?.close()
    this.#taken.delete(id)
    const isRemoved = (await removeTree(folder)) || (await this.#removeAsUsers(folder))
    this.#uids.release(id)
    return isRemoved
  }

  async run(run: RunCommandOptions): Promise<CommandResult> {
    const { kind } = await this.isolation()
    if (kind === 'missing')
      return { ended: 'not_started', exit_code: null, duration_ms: 0, left_out: false }
    return kind === 'none' ? runUnsandboxed(run, this.#parentDeathPrefix) : this.#runSandboxed(run)
  }

  async createJobDirectory(id: string, kind?: JobKind): Promise<JobDirectory> {
    const waiting = kind === undefined ? null : await this.#waiting.take(kind)
    if (waiting === null) return this.#createJobDirectory(id)
    this.#taken.set(waiting.directory.id, waiting.job)
    return waiting.directory
  }

  async #startWaiting(kind: JobKind): Promise<StartedJob> {
    const directory = await this.#createJobDirectory(`waiting-${++this.#waitingCount}`)
    const { network, ...rest } = kind
    const wish = network === undefined ? {} : { network }
    const job = await this.#makeJob({ directory, env: {}, ...rest, ...wish })
    job.start()
    return { directory, job }
  }

  async #createJobDirectory(id: string): Promise<JobDirectory> {
    const directory = await createJobDirectory(this.options.directory, id, JOB_PARTS)
    const steps = join(directory.work, INPUT_PART, 'steps')
    await mkdir(steps, { recursive: true })
    // The user of the job passes through `work` and reads `input`; both stay the server's.
    await chmod(directory.work, 0o711)
    await mkdir(join(directory.work, DOOR_PART))
    for (const path of [join(directory.work, INPUT_PART), join(directory.work, DOOR_PART), steps])
      await chmod(path, 0o755)
    return directory
  }

  async jobPaths(directory: JobDirectory, name: string): Promise<JobPaths> {
    const isolation = await this.isolation()
    if (isolation.kind === 'missing') throw new Error(describeIsolation(isolation))
    return isolation.kind === 'none' ? hostPaths(directory) : sandboxPaths(name)
  }

  async openJob(options: OpenJobOptions): Promise<RunningJob> {
    const { directory, name, limits, network, hasDoor = false } = options
    if (hasDoor && this.#isRoot && this.options.isolation !== 'none')
      await changeOwner(this.#uids.of(directory.id), doorSocket(directory))
    const taken = this.#taken.get(directory.id)
    this.#taken.delete(directory.id)
    if (taken !== undefined) await this.#giveFolders(directory)
    const job = taken ?? (await this.#makeJob(options))
    if (this.options.keepsOneWaiting && this.options.isolation !== 'none' && !options.container)
      this.#waiting.prepare({ name, limits, network, hasDoor })
    return job
  }

  /** Gives the folders of a job, with what the server wrote into them, to its user. */
  async #giveFolders(directory: JobDirectory): Promise<void> {
    if (!this.#isRoot) return
    const parts = JOB_PARTS.map((part) => join(directory.work, part))
    await changeOwner(this.#uids.of(directory.id), ...parts)
  }

  async #makeJob(options: OpenJobOptions): Promise<SandboxedJob> {
    const { directory, name, limits, env, network, hasDoor = false, ports = new Map() } = options
    const { container = null } = options
    const paths = await this.jobPaths(directory, name)
    const common = { directory, paths, limits, env, parentDeathPrefix: this.#parentDeathPrefix }
    if (this.options.isolation === 'none')
      return new SandboxedJob({
        ...common,
        hasDoor: false,
        ports: new Map(),
        container: null,
        sandbox: null,
        release: async () => {},
      })
    if (hasDoor || ports.size > 0) await this.#writeForwarder(directory)
    await this.#giveFolders(directory)
    // A container has a group of its own, which podman or docker makes.
    const group = container === null ? this.#createGroup(limits) : null
    return new SandboxedJob({
      ...common,
      hasDoor,
      ports,
      container,
      sandbox: this.#sandboxSettings(directory, group, network),
      release: () => removeGroup(group),
    })
  }

  /** Gives the job the program by which it reaches sockets. */
  async #writeForwarder(directory: JobDirectory): Promise<void> {
    const program = await bundledProgram('forward')
    if (program === null) throw new Error(`there is no forwarder for ${process.arch}`)
    const path = join(directory.work, INPUT_PART, FORWARDER)
    // It may be running, and then it cannot be written.
    if (existsSync(path)) return
    await writeFile(path, program)
    await chmod(path, 0o755)
  }

  openProgramDirectory(
    parent: string,
    id: string,
    options: { readonly isKept: boolean },
  ): Promise<JobDirectory> {
    return openProgramDirectory(parent, id, options)
  }

  async emptyFolder(folder: string): Promise<void> {
    if (!(await removeTree(folder))) throw new Error(`${folder} could not be removed`)
    await mkdir(folder, { mode: 0o755 })
  }

  async openProgram(options: ProgramOptions): Promise<RunningProgram> {
    const { directory, limits, readable } = options
    const isolation = await this.isolation()
    if (isolation.kind !== 'bubblewrap') throw new Error(describeIsolation(isolation))
    if (this.#isRoot) {
      const uid = this.#uids.of(directory.id)
      for (const part of PROGRAM_PARTS) await changeOwner(uid, join(directory.work, part))
      await changeOwner(uid, doorSocket(directory))
      if (options.hasProxy) await changeOwner(uid, proxySocket(directory))
    }
    const group = this.#createGroup(limits)
    const settings = this.#sandboxSettings(directory, group, 'none')
    const all = [...new Set([...settings.readable, ...readable])]
    return startProgram(options, { ...settings, readable: all }, () => removeGroup(group))
  }

  async #runSandboxed(run: RunCommandOptions): Promise<CommandResult> {
    const group = this.#createGroup(run.limits)
    try {
      return await runSandboxed(run, this.#sandboxSettings(run.directory, group))
    } finally {
      await removeGroup(group)
    }
  }

  #createGroup({ memoryBytes, processes }: CommandLimits): ControlGroup | null {
    const limits = { memory: memoryBytes, processes: processes + 16 }
    return this.#groups?.create(`${++this.#groupCount}`, limits) ?? null
  }

  #sandboxSettings(
    { id }: JobDirectory,
    group: ControlGroup | null,
    network: Network = this.options.network ? 'machine' : 'none',
  ): SandboxSettings {
    const { readable, hidden } = this.options
    return {
      uid: this.#isRoot ? this.#uids.of(id) : null,
      bubblewrap: this.#bubblewrap?.folder ?? null,
      network,
      readable,
      hidden,
      seccomp: this.#seccomp,
      group,
      kernelLimitsMemory: this.#groups?.limits.includes('memory') ?? false,
      parentDeathPrefix: this.#parentDeathPrefix,
    }
  }

  async #probe(): Promise<Isolation> {
    const { directory, isolation } = this.options
    await mkdir(directory, { recursive: true, mode: 0o700 })
    this.#parentDeathPrefix = await findParentDeathPrefix()
    if (isolation === 'none') return { kind: 'none' }
    const fault = this.#findMissingPart()
    if (fault !== null) return missing(fault)
    const found = await findBubblewrap(dirname(directory), this.options.bubblewrap ?? 'any')
    if (typeof found === 'string') return missing(found)
    this.#bubblewrap = found
    this.#groups = findControlGroups()
    this.#groups?.sweep()
    const trialFault = await this.#runTrial()
    if (trialFault !== null) return missing(trialFault)
    return {
      kind: 'bubblewrap',
      version: found.version,
      origin: found.folder === null ? 'system' : 'bundled',
      user: this.#isRoot ? 'other' : 'same',
      groups: this.#groups?.limits ?? [],
      seccomp: this.#seccomp !== null,
    }
  }

  /** Opens a job with internet, and looks for its device. */
  async #tryInternet(): Promise<string | null> {
    const { kind } = await this.isolation()
    if (kind !== 'bubblewrap') return 'jobs are not isolated here'
    const lacks = INTERNET_PROGRAMS.filter((name) => !isInstalled(name))
    if (lacks.length > 0) return `${lacks.join(' and ')} cannot be found; install the package`
    const directory = await this.createJobDirectory(`net-${process.pid}`)
    const options = { directory, name: 'trial', limits: TRIAL_LIMITS, env: {} }
    const job = await this.openJob({ ...options, network: 'internet' })
    try {
      const { ended, exit_code } = await job.step({
        script: 'grep -q tap0 /proc/net/dev',
        files: {},
        output: () => {},
      })
      return ended === 'exited' && exit_code === 0
        ? null
        : 'slirp4netns could not make a network device; it needs /dev/net/tun'
    } finally {
      await job.close()
      await this.removeDirectory(directory)
    }
  }

  /** What this machine or the settings lack for a sandbox; null when nothing. */
  #findMissingPart(): string | null {
    const { readable, hidden } = this.options
    if (process.platform !== 'linux')
      return `this system (${process.platform}) has no namespaces; only Linux does`
    const lacks = (this.#isRoot ? ['unshare', 'setpriv', 'mount'] : []).filter(
      (name) => !isInstalled(name),
    )
    if (lacks.length > 0) return `${lacks.join(' and ')} of the package util-linux cannot be found`
    if (this.#isRoot && MOUNT_POINTS.filter((path) => existsSync(path)).length < 2)
      return `two of the folders ${MOUNT_POINTS.join(', ')} must exist`
    const exposed = readable.find((path) =>
      hidden.some((secret) => `${path.replace(/\/$/, '')}/`.startsWith(`${secret}/`)),
    )
    return exposed === undefined
      ? null
      : `checks.readable names ${exposed}, which is inside the data directory`
  }

  /** Runs the trial command in a sandbox. Returns the fault, null when the sandbox holds. */
  async #runTrial(): Promise<string | null> {
    const directory = await this.createDirectory(`trial-${process.pid}`)
    const parts: Uint8Array[] = []
    try {
      await this.handOver(directory)
      const { ended, exit_code } = await this.#runSandboxed({
        directory,
        command: TRIAL_COMMAND,
        limits: TRIAL_LIMITS,
        env: {},
        output: (bytes) => void parts.push(bytes),
      })
      const text = Buffer.concat(parts).toString('utf8')
      if (ended !== 'exited' || exit_code !== 0) {
        const last = text.trim().split('\n').at(-1)
        return `namespaces cannot be made here: ${last || ended}`
      }
      return findTrialFault(text, this.options.network)
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    } finally {
      await this.removeDirectory(directory)
    }
  }
}
