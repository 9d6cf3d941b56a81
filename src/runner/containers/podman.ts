/** The client podman: how it is called, and what it gets of the server's environment. */
import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { MINIMAL_ENV, PATH } from '../shell.ts'
import { findProfile } from './seccomp-profile.ts'

export const PODMAN = 'podman'
/** The label of all containers of a runner; its value is the folder of their jobs. */
export const LABEL = 'hearth.jobs'
/** Images that jobs have built have this name; the tag is the hash of what they are built from. */
export const BUILT = 'localhost/hearth-action'
export const BUILT_LABEL = 'hearth.built'

/** What programs of images need to become another user; neither raw sockets nor devices. */
export const CAPABILITIES = [
  ...['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'NET_BIND_SERVICE'],
  ...['SETFCAP', 'SETGID', 'SETPCAP', 'SETUID', 'SYS_CHROOT'],
]

/** What a call may take that waits for nothing but this machine. */
const CALL_TIMEOUT_MS = 60_000

export type Environment = Readonly<Record<string, string>>

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

/** Variables that change podman itself, or what it starts. */
const OF_CLIENT =
  /^(?:_|[A-Z]*PATH|HOME|USER|LOGNAME|LANG|LC_|LOC|TZ|TERM|TMP|LD_|XDG_|XTABLES|IPTABLES|GLIBC_|GCONV|MALLOC_|GO|RUST|SSL_|SSH_|SUDO_|CONTAINER|CNI|NETAVARK|AARDVARK|REGISTRY_|STORAGE_|BUILDAH_|PODMAN_|DOCKER_|CRUN|DBUS_|NOTIFY_|LISTEN_|SYSTEMD_|JOURNAL|INVOCATION|HTTPS?_|ALL_|FTP_|NO_)/i

/** What podman reads from a line of a file as it stands, in all its versions. */
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_.-]*$/
const PLAIN_VALUE = /^[A-Za-z0-9 !#$%&()*+,./:;<=>?@[\]^_{|}~-]{0,30000}$/

/** Variables of a container, as arguments and environment of the client and as a file. */
export type Variables = {
  readonly argv: readonly string[]
  readonly env: Environment
  readonly file: string
}

/**
 * Values pass through a file, and those that a file cannot have through the client's environment,
 * because arguments are public. Only a value with line ends whose name changes the client is one.
 */
export function variablesOf(env: Environment): Variables {
  const argv: string[] = []
  const passed: Record<string, string> = {}
  const lines: string[] = []
  for (const [name, value] of Object.entries(env)) {
    if (name === '' || /[=\0*\s]/.test(name)) continue
    const clean = value.replaceAll('\0', '')
    if (PLAIN_NAME.test(name) && PLAIN_VALUE.test(clean)) lines.push(`${name}=${clean}\n`)
    else if (OF_CLIENT.test(name)) argv.push('--env', `${name}=${clean}`)
    else {
      argv.push('--env', name)
      passed[name] = clean
    }
  }
  return { argv, env: passed, file: lines.join('') }
}

/** Calls with the variables, whose file exists only meanwhile. `path` is one of the server's. */
export async function withVariables<T>(
  path: string,
  { argv, env, file }: Variables,
  call: (argv: readonly string[], env: Environment) => Promise<T>,
): Promise<T> {
  try {
    await writeFile(path, file, { mode: 0o600, flag: 'wx' })
    return await call(['--env-file', path, ...argv], env)
  } finally {
    await rm(path, { force: true })
  }
}

export type Finished = { readonly exit: number; readonly output: string; readonly errors: string }

export type CallOptions = {
  readonly env?: Environment
  readonly signal?: AbortSignal
  /** Null for a call that may wait. */
  readonly timeoutMs?: number | null
  /** What the client is started by. */
  readonly prefix?: readonly string[]
}

export async function podman(
  argv: readonly string[],
  { env, signal, timeoutMs = CALL_TIMEOUT_MS, prefix = [] }: CallOptions = {},
): Promise<Finished> {
  const child = Bun.spawn([...prefix, PODMAN, ...argv], {
    env: { ...clientEnvironment(), ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    killSignal: 'SIGKILL',
    ...(timeoutMs === null ? {} : { timeout: timeoutMs }),
    ...(signal ? { signal } : {}),
  })
  const [output, errors, exit] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { exit, output: output.trim(), errors: errors.trim() }
}

/** The last line of what a client says, without its prefix. */
export const faultOf = ({ errors, output }: Finished): string =>
  ((errors || output).split('\n').at(-1) ?? '').replace(/^Error: /, '').slice(0, 500)

export async function requirePodman(
  argv: readonly string[],
  options: CallOptions = {},
): Promise<string> {
  const finished = await podman(argv, options)
  if (finished.exit !== 0) throw new Error(faultOf(finished) || 'podman did not answer in time')
  return finished.output
}

const isInstalled = (program: string): boolean => Bun.which(program, { PATH }) !== null

/** What is said where podman is not installed. */
export const withoutPodman = (hasDocker: boolean): string =>
  hasDocker
    ? 'podman is not installed on this machine, and Docker cannot take its place: root of its containers is root of the machine, and its daemon fetches images past the rules for jobs'
    : 'podman is not installed on this machine'

/** Why this machine has no containers for jobs; null when it has. */
export async function containersFault(): Promise<string | null> {
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
export async function sweepContainers(directory: string): Promise<void> {
  if (!isInstalled(PODMAN)) return
  const found = await podman(['ps', '-aq', '--filter', `label=${LABEL}=${directory}`])
  const ids = found.output.split('\n').filter((id) => id !== '')
  if (found.exit === 0 && ids.length > 0) await podman(['rm', '-f', '-t', '0', '-v', ...ids])
}
