/** The client podman: how it is called, and what it gets of the server's environment. */
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { MINIMAL_ENV } from '../shell.ts'
import { callsOf, faultOf, isInstalled, removeLabelled } from './client.ts'
import { LABEL } from './engine.ts'
import { findProfile } from './seccomp-profile.ts'

export const PODMAN = 'podman'

export const isRoot = (): boolean => process.getuid?.() === 0

/** What starts a program that may read the files of all users of containers. */
export const asUsersOfContainers = (): readonly string[] => (isRoot() ? [] : [PODMAN, 'unshare'])

/** What podman finds its images and its sockets by; nothing else of the server's environment. */
export function clientEnvironment(): Record<string, string> {
  const runtime = `/run/user/${process.getuid?.() ?? 0}`
  return {
    ...MINIMAL_ENV,
    HOME: homedir(),
    ...(existsSync(runtime) && { XDG_RUNTIME_DIR: runtime }),
  }
}

/** `du` of files that users of containers wrote. */
export const diskMeasure = () => ({
  argv: [...asUsersOfContainers(), 'du'],
  env: clientEnvironment(),
})

export const { call: podman, require: requirePodman } = callsOf(PODMAN, clientEnvironment)

/** What is said where podman is not installed. */
export const withoutPodman = (hasDocker: boolean): string =>
  hasDocker
    ? 'podman is not installed on this machine; Docker is, and an administrator who accepts its weaker walls sets jobs.containers to docker'
    : 'podman is not installed on this machine'

/** Why this machine has no containers for jobs; null when it has. */
export async function podmanFault(): Promise<string | null> {
  if (!isInstalled(PODMAN)) return withoutPodman(isInstalled('docker'))
  const finished = await podman([
    ...['info', '--format'],
    '{{.Store.GraphDriverName}} {{range .Host.CgroupControllers}}{{.}} {{end}}',
  ])
  if (finished.exit !== 0) return `podman does not work here: ${faultOf(finished)}`
  if (findProfile() === null)
    return 'podman has no seccomp.json of the package containers-common here'
  const [driver = '', ...offered] = finished.output.split(' ')
  // Others do not tell where a container writes, so its disk space could not be limited.
  if (driver !== 'overlay')
    return `podman stores layers with ${driver} here; set driver = "overlay" in its storage.conf`
  const lacks = ['memory', 'pids'].filter((name) => !offered.includes(name))
  return lacks.length === 0
    ? null
    : `podman cannot limit containers here, because it has no control groups for ${lacks.join(' and ')}`
}

/** Removes containers that an earlier process left, with their volumes. */
export async function sweepPodman(directory: string): Promise<void> {
  if (!isInstalled(PODMAN)) return
  await removeLabelled(podman, `${LABEL}=${directory}`, ['rm', '-f', '-t', '0', '-v'])
}
