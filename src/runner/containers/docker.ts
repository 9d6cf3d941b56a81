/** The client docker: how it is called, and what it needs of the daemon. */
import { MINIMAL_ENV } from '../shell.ts'
import { callsOf, faultOf, isInstalled, removeLabelled } from './client.ts'
import { LABEL } from './engine.ts'
import { INTERNET_PROGRAMS } from '../network.ts'

export const DOCKER = 'docker'
export const DOCKER_SOCKET = '/var/run/docker.sock'

/**
 * The daemon of this machine, whichever the settings of the user name, because folders of jobs are
 * here. Those settings are not read: they may put variables for proxies into containers.
 */
export const dockerEnvironment = (): Record<string, string> => ({
  ...MINIMAL_ENV,
  DOCKER_CONFIG: '/nonexistent',
  DOCKER_HOST: `unix://${DOCKER_SOCKET}`,
})

export const { call: docker, require: requireDocker } = callsOf(DOCKER, dockerEnvironment)

/** That of Docker itself, and that of containerd. */
const DRIVERS = new Set(['overlay2', 'overlayfs'])

type Info = {
  readonly driver: string
  readonly limitsMemory: boolean
  readonly limitsProcesses: boolean
  readonly root: string
  readonly security: string
}

async function readInfo(): Promise<Info | string> {
  const parts =
    '{{.Driver}}\t{{.MemoryLimit}}\t{{.PidsLimit}}\t{{.DockerRootDir}}\t{{.SecurityOptions}}'
  const finished = await docker(['info', '--format', parts])
  const [driver = '', memory, processes, root = '', security = ''] = finished.output.split('\t')
  // Without its daemon the client answers with exit code 0 and an empty driver.
  if (finished.exit !== 0 || driver === '') return faultOf(finished)
  return {
    driver,
    limitsMemory: memory === 'true',
    limitsProcesses: processes === 'true',
    root,
    security,
  }
}

/**
 * The uid of this machine that is root of containers: 0, unless the daemon has `userns-remap`, whose
 * range is in the name of its folder.
 */
export const rootOfContainers = ({ root, security }: Pick<Info, 'root' | 'security'>): number =>
  security.includes('name=userns') ? Number(/\/(\d+)\.\d+\/?$/.exec(root)?.[1] ?? 0) : 0

/** See `rootOfContainers`. */
export async function findRootOfContainers(): Promise<number> {
  const info = await readInfo()
  if (typeof info === 'string') throw new Error(`Docker does not answer: ${info}`)
  return rootOfContainers(info)
}

/** What is wrong with a daemon; null for nothing. */
export function faultOfInfo({
  driver,
  limitsMemory,
  limitsProcesses,
  security,
}: Info): string | null {
  if (security.includes('name=rootless'))
    return 'the daemon of Docker runs without root here, which jobs cannot use; podman can run so'
  // Others do not tell where a container writes, so its disk space could not be limited.
  if (!DRIVERS.has(driver))
    return `Docker stores layers with ${driver} here; set "storage-driver": "overlay2" in its daemon.json`
  if (!security.includes('name=seccomp'))
    return 'Docker cannot filter system calls here, because its daemon has no seccomp'
  const lacks = [...(limitsMemory ? [] : ['memory']), ...(limitsProcesses ? [] : ['pids'])]
  return lacks.length === 0
    ? null
    : `Docker cannot limit containers here, because it has no control groups for ${lacks.join(' and ')}`
}

/** Why this machine has no containers of Docker for jobs; null when it has. */
export async function dockerFault(): Promise<string | null> {
  if (!isInstalled(DOCKER)) return 'docker is not installed on this machine'
  if (process.getuid?.() !== 0)
    return 'containers of Docker need a server that is root, because their root owns what they write; podman needs none'
  const lacks = INTERNET_PROGRAMS.filter((name) => !isInstalled(name))
  if (lacks.length > 0) return `${lacks.join(' and ')} cannot be found; install the package`
  const info = await readInfo()
  return typeof info === 'string' ? `Docker does not work here: ${info}` : faultOfInfo(info)
}

/** Removes containers that an earlier process left, with their volumes. */
export async function sweepDocker(directory: string): Promise<void> {
  if (!isInstalled(DOCKER)) return
  const label = `${LABEL}=${directory}`
  await removeLabelled(docker, label, ['rm', '-f', '-v'])
  // What builds left that did not end.
  const filters = ['--filter', `label=${label}`, '--filter', 'dangling=true']
  const found = await docker(['images', '-q', '--no-trunc', ...filters])
  const ids = found.output.split('\n').filter((id) => id !== '')
  if (found.exit === 0 && ids.length > 0) await docker(['rmi', '--', ...new Set(ids)])
}
