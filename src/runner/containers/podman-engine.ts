/**
 * Containers of podman. Root of a container is the user of the job. Its network is podman's
 * slirp4netns with the rules of jobs, which are set between `podman init` and `podman start`.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { internetFiles, linkNetwork, nameServersOf } from '../network.ts'
import { CONTAINER_UIDS, UIDS_OF_JOB } from '../uid-pool.ts'
import { buildImage } from './build-image.ts'
import { BuiltImages, type ImageBuild } from './built-images.ts'
import {
  hostArguments,
  isOfSteps,
  limitArguments,
  NO_LOG,
  portArguments,
  portOf,
  programArguments,
  type ContainerEngine,
  type JobEngine,
  type JobEngineOptions,
  type NewContainer,
  type Prepared,
  type Readiness,
} from './engine.ts'
import { limitNetwork, rulesOf } from './limit-network.ts'
import {
  asUsersOfContainers,
  clientEnvironment,
  podman,
  podmanFault,
  requirePodman,
  sweepPodman,
} from './podman.ts'
import type { ImageToPull } from './pull.ts'
import { pullWithPodman } from './pull-podman.ts'
import { findProfile, profileOfJobs } from './seccomp-profile.ts'
import { variablesOf, withVariables } from './variables.ts'

/** What podman keeps of the output of a service. */
const SERVICE_LOG = ['--log-driver', 'k8s-file', '--log-opt', 'max-size=1mb']

export const podmanEngine: ContainerEngine = {
  name: 'podman',
  uids: CONTAINER_UIDS,
  // podman may copy an image for each range of users.
  keepsUids: true,
  environment: clientEnvironment,
  call: podman,
  require: requirePodman,
  asUsers: asUsersOfContainers,
  fault: podmanFault,
  sweep: sweepPodman,
  ofJob: (options) => new PodmanJob(options),
}

class PodmanJob implements JobEngine {
  readonly #images = new BuiltImages(podman)
  readonly builder = {
    isBuilt: (image: string) => this.#images.isBuilt(image),
    build: (build: ImageBuild) => this.#build(build),
  }
  #profile: Promise<string> | null = null

  constructor(private readonly options: JobEngineOptions) {}

  async isHere(image: string): Promise<boolean> {
    return (await podman(['image', 'exists', '--', image])).exit === 0
  }

  fetch(image: ImageToPull, folder: string, signal: AbortSignal): Promise<string | null> {
    return pullWithPodman(image, folder, { ...this.options, signal })
  }

  async create(container: NewContainer): Promise<Prepared> {
    const { name, image, args, place, variablesFile } = container
    const profile = await (this.#profile ??= this.#writeProfile())
    // The last option of one name counts, so those of the author stand first.
    await withVariables(variablesFile, variablesOf(container.env), (argv, env) =>
      requirePodman(
        [
          ...['create', ...container.options, ...this.#limits(name, profile)],
          ...[...this.#networkOf(container), ...argv, ...(place ? NO_LOG : SERVICE_LOG)],
          ...portArguments(container, this.options.network),
          ...[...(place ? hostArguments(place) : []), ...programArguments(container)],
          ...['--', image, ...args],
        ],
        { env },
      ),
    )
    return this.#begin(name, isOfSteps(container))
  }

  foldersOf(): readonly string[] {
    return []
  }

  async portsOf(name: string, ports: readonly number[]): Promise<Map<number, number>> {
    const found = new Map<number, number>()
    for (const port of ports)
      found.set(port, portOf(await requirePodman(['port', name, `${port}/tcp`])))
    return found
  }

  async readinessOf(name: string, signal: AbortSignal): Promise<Readiness> {
    const format = '{{.State.Running}} {{if .Config.Healthcheck}}checked{{end}}'
    const found = await podman(['inspect', '--format', format, name], { signal })
    const [running, checked] = found.output.split(' ')
    const isRunning = running === 'true'
    const isReady = async (): Promise<boolean> =>
      checked !== 'checked' || (await podman(['healthcheck', 'run', name], { signal })).exit === 0
    return { isRunning, isReady: isRunning && (await isReady()) }
  }

  async remove(names: readonly string[]): Promise<void> {
    if (names.length > 0) await podman(['rm', '-f', '-t', '0', '-v', '--ignore', ...names])
  }

  /** They are the user's, who is root of the containers. */
  async returnFolders(): Promise<void> {}

  async #build(build: ImageBuild): Promise<void> {
    const { group, release } = this.options.limitGroup()
    try {
      const profile = await (this.#profile ??= this.#writeProfile())
      await buildImage(build, { ...this.options, profile, group })
      await this.#images.evict()
    } finally {
      await release()
    }
  }

  /** The filter of system calls of all containers of the job. */
  async #writeProfile(): Promise<string> {
    const path = join(this.options.directory.folder, 'seccomp.json')
    const profile = findProfile()
    if (profile === null) throw new Error('podman has no seccomp.json here')
    await writeFile(path, profileOfJobs(await readFile(profile, 'utf8')))
    return path
  }

  #limits(name: string, profile: string): string[] {
    const { limits, uid } = this.options
    const map = `0:${uid}:${UIDS_OF_JOB}`
    return [
      ...limitArguments(name, this.options, profile),
      ...(uid === null ? [] : ['--uidmap', map, '--gidmap', map]),
      // Without it podman asks for more than a server without CAP_SYS_RESOURCE may give.
      ...['--ulimit', `nproc=${limits.processes}:${limits.processes}`],
    ]
  }

  /** Services always have a network, because the job reaches their ports by it. */
  #networkOf(container: NewContainer): string[] {
    const { network } = this.options
    if (network === 'machine') return isOfSteps(container) ? ['--network', 'host'] : []
    const servers = nameServersOf(internetFiles().resolv)
    const slirp = `allow_host_loopback=false,enable_ipv6=false,mtu=65520,cidr=${linkNetwork()}`
    return network === 'none' && isOfSteps(container)
      ? ['--network', 'none']
      : ['--network', `slirp4netns:${slirp}`, ...servers.flatMap((address) => ['--dns', address])]
  }

  /** Makes the namespaces of a container and sets the rules of its network. */
  async #begin(name: string, areSteps: boolean): Promise<Prepared> {
    // conmon leaves a file `oom` in its folder where the kernel kills for memory.
    await requirePodman(['init', name], { cwd: this.options.directory.folder })
    const format =
      '{{.State.Pid}}\n{{.GraphDriver.Data.UpperDir}}{{range .Mounts}}{{if eq .Type "volume"}}\n{{.Source}}{{end}}{{end}}'
    const found = (await requirePodman(['inspect', '--format', format, name])).split('\n')
    const [id = '', ...folders] = found
    const pid = Number(id)
    const { network } = this.options
    const rules = rulesOf(network, { isOfSteps: areSteps })
    if (rules !== null)
      await limitNetwork(pid, rules, { prefix: asUsersOfContainers(), env: clientEnvironment() })
    return {
      pid,
      networkPid: network === 'machine' ? 0 : pid,
      folders: folders.filter((folder) => folder.startsWith('/')),
    }
  }
}
