/**
 * What a program that has containers does for jobs, whichever it is: podman or docker. The clients
 * of both know the commands inspect, logs, start and image inspect, with the same answers.
 */
import type { ControlGroup } from '../cgroups.ts'
import type { JobDirectory } from '../job-directory.ts'
import type { CommandLimits } from '../limits.ts'
import type { Network } from '../network.ts'
import type { Uids } from '../uid-pool.ts'
import type { ImageBuild } from './built-images.ts'
import type { CallOptions, Environment, Finished } from './client.ts'
import type { FindRegistry, ImageSource, ImageToPull } from './pull.ts'

/** The label of all containers of a runner; its value is the folder of their jobs. */
export const LABEL = 'hearth.jobs'

/** What programs of images need to become another user; neither raw sockets nor devices. */
export const CAPABILITIES = [
  ...['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'NET_BIND_SERVICE'],
  ...['SETFCAP', 'SETGID', 'SETPCAP', 'SETUID', 'SYS_CHROOT'],
]

export const NO_LOG = ['--log-driver', 'none']

export type ContainerSpec = ImageToPull & {
  readonly env: Environment
  /** Words of `options` that are allowed: names, each with its value where it has one. */
  readonly options: readonly string[]
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
  /** Null for that of its image. */
  readonly cwd: string | null
}

export type NewContainer = ContainerSpec & {
  readonly name: string
  /** The file that has the variables meanwhile. */
  readonly variablesFile: string
  /** Ports that the job reaches, with those of the machine; null for any. Only of a service. */
  readonly ports: ReadonlyMap<number, number | null>
  /** Null for a service, which sees no folder of the job. */
  readonly place: ContainerPlace | null
  /** Whether it is root and reads its standard input. */
  readonly isShell: boolean
  readonly entrypoint: string | null
  readonly args: readonly string[]
}

/** A container whose network is limited, and whose program does not run yet. */
export type Prepared = {
  /** Its first process; 0 where there is none before its program. */
  readonly pid: number
  /** A process in its network namespace; 0 for that of the machine. */
  readonly networkPid: number
  /** Where on the machine it writes, besides the folders of the job; see `foldersOf` too. */
  readonly folders: readonly string[]
}

export type Readiness = { readonly isRunning: boolean; readonly isReady: boolean }

/** The containers of one job. */
export type JobEngine = ImageSource & {
  create(container: NewContainer): Promise<Prepared>
  /** More folders where a container writes, which are known once its first process is. */
  foldersOf(pid: number): readonly string[]
  /** Ports of the loopback device of the machine by those of a service that runs. */
  portsOf(name: string, ports: readonly number[]): Promise<Map<number, number>>
  readinessOf(name: string, signal: AbortSignal): Promise<Readiness>
  /** Ends containers, with their volumes and networks. Others of the names do not matter. */
  remove(names: readonly string[]): Promise<void>
  /** Gives what containers wrote into the folders of the job back to its user. */
  returnFolders(): Promise<void>
  readonly builder: EngineBuilder
}

export type ImageBuilder = {
  isBuilt(image: string): Promise<'no' | 'old' | 'fresh'>
  /** Throws an Error with one line for the author. */
  build(build: ImageBuild): Promise<void>
}

export type EngineBuilder = Pick<ImageBuilder, 'isBuilt'> & {
  build(build: ImageBuild, containers: BuildContainers): Promise<void>
}

/** A program of a build, with options for its container as `ContainerSpec` has them. */
export type BuildProgram = {
  readonly image: string
  readonly options: readonly string[]
  readonly mounts: readonly ContainerMount[]
  readonly entrypoint: string
}

/** How the program of an image ended. */
export type ImageResult = { readonly exit: number; readonly wasOutOfMemory: boolean }

/** What a build of an image gets of the containers of its job. */
export type BuildContainers = {
  pull(image: ImageToPull, signal: AbortSignal): Promise<void>
  /** The name of a new container, which is removed with the job at the latest. */
  reserveName(): string
  /** Runs a program to its end, under the rules and limits of the job. Its container stays. */
  execute(
    program: BuildProgram,
    output: Output,
    signal: AbortSignal,
  ): Promise<ImageResult & { readonly name: string }>
  remove(names: readonly string[]): Promise<void>
  /** Says what images of the build have on disk, beside running containers. */
  holdBytes(bytes: number): void
}

export type Output = (bytes: Uint8Array) => Promise<void> | void

export type JobEngineOptions = {
  readonly directory: JobDirectory
  /** The folder of all jobs of the runner. */
  readonly runnerDirectory: string
  readonly limits: CommandLimits
  readonly network: Network
  /** The user of the job; null unless the server is root. */
  readonly uid: number | null
  readonly findRegistry: FindRegistry
  /** Makes a control group with the limits of the job; `group` is null where there are none. */
  readonly limitGroup: () => { readonly group: ControlGroup | null; release(): Promise<void> }
  readonly kernelLimitsMemory: boolean
}

export type ContainerEngine = {
  readonly name: 'podman' | 'docker'
  /** Those that jobs have. */
  readonly uids: Uids
  /** Whether a job should begin to look for its uid where the one before a restart did. */
  readonly keepsUids: boolean
  /** What its client gets of the server's environment. */
  environment(): Environment
  call(argv: readonly string[], options?: CallOptions): Promise<Finished>
  /** The output of a call. Throws an Error where it fails. */
  require(argv: readonly string[], options?: CallOptions): Promise<string>
  /** What starts a program that may read the files of all users of containers. */
  asUsers(): readonly string[]
  /** Why this machine has no containers for jobs; null when it has. */
  fault(): Promise<string | null>
  /** Removes containers that an earlier process left, with their volumes. */
  sweep(directory: string): Promise<void>
  ofJob(options: JobEngineOptions): JobEngine
}

/** Arguments that say what a container may, for both clients. */
export function limitArguments(
  name: string,
  { limits, runnerDirectory }: Pick<JobEngineOptions, 'limits' | 'runnerDirectory'>,
  profile: string,
): string[] {
  const { memoryBytes, processes, files } = limits
  return [
    ...['--name', name, '--label', `${LABEL}=${runnerDirectory}`, '--pull', 'never'],
    ...['--security-opt', 'no-new-privileges', '--security-opt', `seccomp=${profile}`],
    ...['--cap-drop', 'all'],
    ...CAPABILITIES.flatMap((capability) => ['--cap-add', capability]),
    ...['--memory', String(memoryBytes), '--pids-limit', String(processes)],
    ...['--memory-swap', String(memoryBytes), '--ulimit', `nofile=${files}:${files}`],
  ]
}

export const hostArguments = ({ hosts }: ContainerPlace): string[] =>
  hosts.flatMap((host) => ['--add-host', `${host}:127.0.0.1`])

/** Arguments for what a container runs and sees, without its hosts. The image comes after them. */
export const programArguments = ({ isShell, place, entrypoint }: NewContainer): string[] => [
  ...(isShell ? ['-i', '--user', '0:0'] : []),
  ...(place === null ? [] : placeArguments(place)),
  ...(entrypoint === null ? [] : ['--entrypoint', entrypoint]),
]

const placeArguments = ({ mounts, cwd }: ContainerPlace): string[] => [
  ...mounts.flatMap(({ from, to, writable }) => ['-v', `${from}:${to}:${writable ? 'rw' : 'ro'}`]),
  ...(cwd === null ? [] : ['--workdir', cwd]),
]

/** Ports of a service that shares the loopback device of the machine. */
export const portArguments = ({ ports }: NewContainer, network: Network): string[] =>
  [...ports].flatMap(([port, host]) => {
    const local = network === 'machine' && host !== null ? String(host) : ''
    return ['-p', `127.0.0.1:${local}:${port}`]
  })

/** The port of `podman port` and `docker port`, whose lines are addresses. */
export const portOf = (output: string): number => Number(output.split('\n')[0]?.split(':').at(-1))

/** Whether a container works for the job, and is no service beside it. */
export const isOfSteps = ({ place }: NewContainer): boolean => place !== null
