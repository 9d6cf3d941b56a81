/**
 * Containers of Docker, for servers whose administrator has chosen them. Root of a container is root
 * of the machine, or of the one range of `userns-remap`, with the few capabilities of all jobs'
 * containers. So the folders of a job are given back to its user after each container.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { changeOwner, doorSocket } from '../job-directory.ts'
import { JOB_PARTS } from '../job.ts'
import { readFileOr } from '../processes.ts'
import { COMMAND_UIDS } from '../uid-pool.ts'
import { BuiltImages, type ImageBuild } from './built-images.ts'
import { DockerBuild } from './docker-build.ts'
import {
  docker,
  dockerEnvironment,
  dockerFault,
  findRootOfContainers,
  requireDocker,
  sweepDocker,
} from './docker.ts'
import { DockerNetwork } from './docker-network.ts'
import { ownOptions } from './docker-options.ts'
import {
  hostArguments,
  isOfSteps,
  limitArguments,
  NO_LOG,
  portArguments,
  portOf,
  programArguments,
  type BuildContainers,
  type ContainerEngine,
  type JobEngine,
  type JobEngineOptions,
  type NewContainer,
  type Prepared,
  type Readiness,
} from './engine.ts'
import { loadImage, localName } from './load-image.ts'
import type { ImageToPull } from './pull.ts'
import { ownProfile } from './seccomp-profile.ts'
import { variablesOf, withVariables } from './variables.ts'

/** What Docker keeps of the output of a service. */
const SERVICE_LOG = ['--log-driver', 'json-file', '--log-opt', 'max-size=1m']

export const dockerEngine: ContainerEngine = {
  name: 'docker',
  uids: COMMAND_UIDS,
  keepsUids: false,
  environment: dockerEnvironment,
  call: docker,
  require: requireDocker,
  asUsers: () => [],
  fault: dockerFault,
  sweep: sweepDocker,
  ofJob: (options) => new DockerJob(options),
}

const holderOf = (name: string): string => `${name}-network`

/** Where what a container writes to its root goes, from a text as `/proc/<pid>/mountinfo` (proc(5)). */
export const upperFolders = (mounts: string): string[] =>
  mounts
    .split('\n')
    .filter((line) => line.split(' ')[4] === '/' && line.includes(' - overlay '))
    .flatMap((line) => /[ ,]upperdir=([^ ,]+)/.exec(line)?.[1] ?? [])

class DockerJob implements JobEngine {
  readonly #images = new BuiltImages(docker)
  readonly builder = {
    isBuilt: (image: string) => this.#images.isBuilt(image),
    build: async (build: ImageBuild, containers: BuildContainers): Promise<void> => {
      await new DockerBuild(build, containers, this.options).run()
      await this.#images.evict()
    },
  }
  #profile: Promise<string> | null = null
  #root: Promise<number> | null = null
  readonly #networks = new Map<string, DockerNetwork>()
  #count = 0

  constructor(private readonly options: JobEngineOptions) {}

  async isHere(image: string): Promise<boolean> {
    return (await docker(['image', 'inspect', '--', localName(image)])).exit === 0
  }

  async fetch(image: ImageToPull, folder: string, signal: AbortSignal): Promise<string | null> {
    const { findRegistry } = this.options
    return loadImage(image, { folder, findRegistry, signal })
  }

  async create(container: NewContainer): Promise<Prepared> {
    const { name, image, args, place, variablesFile } = container
    const profile = await (this.#profile ??= this.#writeProfile())
    if (place !== null) await this.#giveFolders()
    const own = ownOptions(container)
    const isShared = this.options.network === 'machine'
    const network = isShared ? null : await this.#openNetwork(container, own.hostname, profile)
    await withVariables(variablesFile, variablesOf(container.env), (argv, env) =>
      requireDocker(
        [
          // The last option of one name counts, so those of the author stand first.
          ...['create', ...own.options, ...limitArguments(name, this.options, profile)],
          ...['--ipc', 'private', ...argv, ...(place ? NO_LOG : SERVICE_LOG)],
          ...(network
            ? ['--network', `container:${network.holder}`]
            : this.#shared(container, own)),
          ...programArguments({ ...container, entrypoint: own.entrypoint }),
          ...['--', localName(image), ...own.args, ...args],
        ],
        { env },
      ),
    )
    return { pid: 0, networkPid: network?.pid ?? 0, folders: await this.#volumesOf(name) }
  }

  foldersOf(pid: number): readonly string[] {
    return upperFolders(readFileOr(`/proc/${pid}/mountinfo`, ''))
  }

  async portsOf(name: string, ports: readonly number[]): Promise<Map<number, number>> {
    const network = this.#networks.get(name)
    const found = new Map<number, number>()
    for (const port of ports)
      found.set(
        port,
        network
          ? await network.openPort(port)
          : portOf(await requireDocker(['port', name, `${port}/tcp`])),
      )
    return found
  }

  async readinessOf(name: string, signal: AbortSignal): Promise<Readiness> {
    const format = '{{.State.Running}} {{if .State.Health}}{{.State.Health.Status}}{{end}}'
    const found = await docker(['inspect', '--format', format, name], { signal })
    const [running, health = ''] = found.output.split(' ')
    return { isRunning: running === 'true', isReady: health === '' || health === 'healthy' }
  }

  async remove(names: readonly string[]): Promise<void> {
    if (names.length === 0) return
    await docker(['rm', '-f', '-v', ...names, ...names.map(holderOf)])
    for (const name of names) {
      await this.#networks.get(name)?.close()
      this.#networks.delete(name)
    }
  }

  async returnFolders(): Promise<void> {
    await this.#changeOwner(this.options.uid)
  }

  /** Root of the machine may write everywhere; that of `userns-remap` only what is its own. */
  async #giveFolders(): Promise<void> {
    const root = await (this.#root ??= findRootOfContainers())
    if (root === 0) return
    await this.#changeOwner(root)
    await changeOwner(root, doorSocket(this.options.directory)).catch(() => {})
  }

  /** A file that gets an owner loses the right to become another user. No link is followed. */
  async #changeOwner(uid: number | null): Promise<void> {
    const { work } = this.options.directory
    if (uid !== null) await changeOwner(uid, ...JOB_PARTS.map((part) => join(work, part)))
  }

  async #openNetwork(
    { name, place }: NewContainer,
    hostname: string | null,
    profile: string,
  ): Promise<DockerNetwork> {
    const { folder } = this.options.directory
    const socket = join(folder, `n${++this.#count}`)
    const made = { ...this.options, profile }
    const network = await DockerNetwork.open(holderOf(name), socket, { hostname, place }, made)
    this.#networks.set(name, network)
    return network
  }

  /** Arguments for a container in the network of the machine, or in that of the daemon. */
  #shared(container: NewContainer, { hostname }: { readonly hostname: string | null }): string[] {
    const { place } = container
    return [
      ...(isOfSteps(container) ? ['--network', 'host'] : []),
      ...portArguments(container, this.options.network),
      ...(place ? hostArguments(place) : []),
      ...(hostname === null ? [] : ['--hostname', hostname]),
    ]
  }

  async #volumesOf(name: string): Promise<string[]> {
    const format = '{{range .Mounts}}{{if eq .Type "volume"}}{{.Source}}\n{{end}}{{end}}'
    const found = await requireDocker(['inspect', '--format', format, name])
    return found.split('\n').filter((folder) => folder.startsWith('/'))
  }

  /** The filter of system calls of all containers of the job. */
  async #writeProfile(): Promise<string> {
    const path = join(this.options.directory.folder, 'seccomp.json')
    await writeFile(path, ownProfile())
    return path
  }
}
