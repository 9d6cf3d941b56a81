/**
 * The sandbox of one command, as a shell script:
 *
 * 1. The shell joins the control groups, while it still has the rights to.
 * 2. If the server is root, a mount namespace shows the job directory where an ordinary user can
 *    reach it, and setpriv changes to that user. Everything after that, bubblewrap included, runs
 *    as that user.
 * 3. bubblewrap creates namespaces (user, pid, network, mount and others) with an empty root, and
 *    mounts only programs and the job directory (https://github.com/containers/bubblewrap,
 *    bwrap(1)).
 * 4. Inside, a shell sets limits that children inherit (ulimit), makes itself the first candidate
 *    of the out-of-memory killer, and executes the command.
 *
 * Other processes read the output pipe (`cat`, then `tail`), so a command that writes endlessly
 * costs the server no time.
 */
import { existsSync, lstatSync, readlinkSync } from 'node:fs'
import type { ControlGroup } from './cgroups.ts'
import { OUTPUT_TAIL_BYTES, SHARED_MEMORY_BYTES, type CommandLimits } from './limits.ts'
import {
  awaitForwarder,
  internetFiles,
  JOB_HOSTS,
  startForwarder,
  type Network,
} from './network.ts'
import { PATH, quote, quoteAll } from './shell.ts'
import type { JobDirectory } from './job-directory.ts'

/** A folder below `work` of the job directory, and the path at which commands see it. */
export type Mount = {
  readonly from: string
  readonly to: string
  /** Whether commands may write there. */
  readonly writable: boolean
}

/** What commands see besides the programs of the system. */
export type SandboxLayout = {
  readonly mounts: readonly Mount[]
  /** The working directory at the start. */
  readonly cwd: string
  readonly home: string
  /** The name of the user, and of the machine. */
  readonly user: string
  /** A file of the machine at a path of the box, wherever it is on the machine. */
  readonly file?: { readonly from: string; readonly to: string }
}

export type SandboxOptions = {
  readonly directory: JobDirectory
  readonly layout: SandboxLayout
  readonly limits: CommandLimits
  readonly network: Network
  /** Folders to mount read-only besides the system's programs. */
  readonly readable: readonly string[]
  /** Folders to hide although they are inside a mounted one. */
  readonly hidden: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** The user to change to; null where the server is not root. */
  readonly uid: number | null
  /** The folder of a bubblewrap that this executable has unpacked; null for the system's. */
  readonly bubblewrap: string | null
  /** `cgroup.procs` files to write the process id to. */
  readonly procsFiles: readonly string[]
  /** A file with the seccomp filter; null for none. */
  readonly seccomp: string | null
  /** A file for bubblewrap's status. It has an exit code only if the command ran. */
  readonly status: string
}

/** What a sandbox needs of the machine and the installation. */
export type SandboxSettings = {
  readonly uid: number | null
  readonly bubblewrap: string | null
  readonly network: Network
  readonly readable: readonly string[]
  readonly hidden: readonly string[]
  readonly seccomp: Uint8Array | null
  readonly group: ControlGroup | null
  readonly kernelLimitsMemory: boolean
  /** The command prefix that kills the shell when the server ends; empty where there is none. */
  readonly parentDeathPrefix: readonly string[]
}

/** What acceptance checks see. */
export const CHECK_LAYOUT: SandboxLayout = {
  mounts: [
    { from: 'build', to: '/build', writable: true },
    { from: 'home', to: '/home/check', writable: true },
    { from: 'tmp', to: '/tmp', writable: true },
  ],
  cwd: '/build',
  home: '/home/check',
  user: 'check',
}

/** The uid and gid inside the sandbox. */
const INNER_UID = 1000

/**
 * Entries of /etc that programs need and that hold no secret. Folders with keys for a group
 * (`ssl/private`) are left out: where the server is not root, a command keeps the server's groups.
 */
const ETC = [
  'alternatives',
  'ca-certificates',
  'crypto-policies',
  'debian_version',
  'fonts',
  'java-11-openjdk',
  'java-17-openjdk',
  'java-21-openjdk',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'locale.alias',
  'localtime',
  'lsb-release',
  'magic',
  'mime.types',
  'os-release',
  'perl',
  'pki/ca-trust',
  'pki/tls/cert.pem',
  'pki/tls/certs',
  'pki/tls/openssl.cnf',
  'protocols',
  'python3',
  'redhat-release',
  'services',
  'ssl/cert.pem',
  'ssl/certs',
  'ssl/openssl.cnf',
  'timezone',
]
/** Entries by which names of machines are found, and those that a job gets its own of. */
const ETC_NETWORK = ['gai.conf', 'host.conf', 'nsswitch.conf']
const ETC_MACHINE = ['hosts', 'resolv.conf']

/** Folders below /usr with settings that may contain passwords. */
const HIDDEN = ['/usr/local/etc', '/usr/etc']

/** Folders of the root with programs and libraries; usually links into /usr. */
const ROOTS = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'] as const

/** Folders over which a private mount namespace can mount the job directory. */
export const MOUNT_POINTS = ['/mnt', '/media', '/srv', '/opt'] as const

const isInside = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)

const isFolder = (path: string): boolean => {
  try {
    return lstatSync(path).isDirectory()
  } catch {
    return false
  }
}

/** Mounts the system's programs: /usr, the other program folders, and a few files of /etc. */
function bindPrograms({ readable, hidden, network }: SandboxOptions): string[] {
  const mounted = ['/usr', ...readable]
  const list = ['--ro-bind', '/usr', '/usr']
  for (const path of ROOTS) {
    if (!existsSync(path)) continue
    if (lstatSync(path).isSymbolicLink()) list.push('--symlink', readlinkSync(path), path)
    else list.push('--ro-bind', path, path)
  }
  const names = [...ETC, ...ETC_NETWORK, ...(network === 'machine' ? ETC_MACHINE : [])]
  for (const name of names) list.push('--ro-bind-try', `/etc/${name}`, `/etc/${name}`)
  for (const path of readable) list.push('--ro-bind', path, path)
  for (const path of [...HIDDEN, ...hidden]) {
    if (isFolder(path) && mounted.some((folder) => isInside(path, folder)))
      list.push('--tmpfs', path, '--remount-ro', path)
  }
  return list
}

/**
 * The arguments of bubblewrap. Descriptor 3 is its status, 4 the filter, 5 and 6 the user names, 7
 * and 8 the names of machines.
 */
const bubblewrapArguments = (
  options: SandboxOptions,
  work: string,
  inner: readonly string[],
): string[] => [
  ...isolationArguments(options),
  ...mountArguments(options, work),
  ...environmentArguments(options),
  ...['--json-status-fd', '3'],
  ...(options.seccomp === null ? [] : ['--seccomp', '4']),
  '--',
  // Commands leave the processor to the server; the start of their sandbox is awaited.
  ...['nice', '-n', '10', '/bin/sh', '-c', ...inner],
]

const isolationArguments = ({ network, layout }: SandboxOptions): string[] => [
  ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts'],
  '--unshare-cgroup-try',
  // A job with internet begins in a namespace of its own, which is no more the machine's.
  ...(network === 'none' ? ['--unshare-net'] : []),
  '--disable-userns',
  ...['--uid', `${INNER_UID}`, '--gid', `${INNER_UID}`, '--hostname', layout.user],
  ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
]

const mountArguments = (options: SandboxOptions, work: string): string[] => [
  ...bindPrograms(options),
  ...['--proc', '/proc', '--dev', '/dev'],
  ...['--perms', '1777', '--size', `${SHARED_MEMORY_BYTES}`, '--tmpfs', '/dev/shm'],
  ...['--remount-ro', '/dev'],
  ...IDENTITY,
  ...(options.network === 'internet' ? RESOLVER : []),
  ...(options.network === 'machine' ? [] : HOSTS),
  ...options.layout.mounts.flatMap(({ from, to, writable }) => [
    writable ? '--bind' : '--ro-bind',
    `${work}/${from}`,
    to,
  ]),
  ...fileArguments(options, work),
  ...['--symlink', '../tmp', '/var/tmp'],
  ...['--chdir', options.layout.cwd, '--remount-ro', '/'],
]

/** Where the user that commands run as finds the file of the layout, below the mounted folder. */
const FILE_PART = 'file'

/** The arguments are seen in the sandbox, and should not say where files of the machine are. */
function fileArguments({ layout: { file }, uid }: SandboxOptions, work: string): string[] {
  if (file === undefined) return []
  return ['--ro-bind', uid === null ? file.from : `${work}/${FILE_PART}`, file.to]
}

function environmentArguments({ env, layout }: SandboxOptions): string[] {
  const variables = {
    PATH,
    HOME: layout.home,
    USER: layout.user,
    LOGNAME: layout.user,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    TMPDIR: '/tmp',
    ...env,
  }
  const set = Object.entries(variables).flatMap(([name, value]) => ['--setenv', name, value])
  return ['--clearenv', ...set]
}

/** User and group names inside the sandbox, instead of those of the machine. */
const IDENTITY = ['--ro-bind-data', '5', '/etc/passwd', '--ro-bind-data', '6', '/etc/group']

const RESOLVER = ['--ro-bind-data', '7', '/etc/resolv.conf']
const HOSTS = ['--ro-bind-data', '8', '/etc/hosts']

const passwdOf = ({ user, home }: SandboxLayout): string => `root:x:0:0:root:/root:/bin/sh
${user}:x:${INNER_UID}:${INNER_UID}:${user}:${home}:/bin/sh
nobody:x:65534:65534:nobody:/:/bin/false
`
const groupOf = ({ user }: SandboxLayout): string => `root:x:0:
${user}:x:${INNER_UID}:
nogroup:x:65534:
`

/** The limits that the shell sets before it executes the command, in POSIX's units. */
export const ulimitScript = ({
  diskBytes: disk,
  memoryBytes: memory,
  processes,
  files,
}: CommandLimits): string =>
  [
    'ulimit -c 0',
    `ulimit -f ${Math.floor(disk / 512)}`,
    `ulimit -d ${Math.floor(memory / 1024)}`,
    `ulimit -n ${files}`,
    // Shells differ in the option for the number of processes.
    `ulimit -u ${processes} 2>/dev/null || ulimit -p ${processes}`,
  ].join(' && ')

/** Sets limits and makes the process the first candidate of the out-of-memory killer. */
const limitsScript = (limits: CommandLimits): string =>
  [
    `{ ${ulimitScript(limits)}; } || exit 126`,
    'echo 1000 2>/dev/null >/proc/self/oom_score_adj',
    'umask 022',
  ].join('; ')

/**
 * The words that start bubblewrap. Commands in the sandbox find its program at `/proc/1/exe`. Where
 * they run as another user than its owner they cannot change it. Else it starts a second time from a
 * mount that is read-only, of which the second process is in the sandbox.
 */
function bubblewrapProgram({ bubblewrap, uid }: SandboxOptions, mounted: string): string[] {
  if (bubblewrap === null) return ['bwrap']
  if (uid !== null) return [`${mounted}/bwrap`]
  const program = `${bubblewrap}/bwrap`
  const readOnly = ['--dev-bind', '/', '/', '--ro-bind', bubblewrap, bubblewrap]
  return [program, ...readOnly, '--die-with-parent', '--', program]
}

/** The shell command that enters the sandbox and executes `inner` (arguments of `sh -c`) there. */
function enterScript(options: SandboxOptions, inner: readonly string[]): string {
  const { directory, uid, network, bubblewrap } = options
  const [mountPoint = '/mnt', programs = '/media'] = MOUNT_POINTS.filter(isFolder)
  const work = uid === null ? directory.work : mountPoint
  const sandboxed = quoteAll([
    ...bubblewrapProgram(options, programs),
    ...bubblewrapArguments(options, work, inner),
  ])
  const before = network === 'internet' ? [awaitForwarder(directory.folder)] : []
  if (uid !== null) {
    const { file } = options.layout
    const mounts = {
      [mountPoint]: directory.work,
      ...(bubblewrap && { [programs]: bubblewrap }),
      ...(file && { [`${mountPoint}/${FILE_PART}`]: file.from }),
    }
    const placeholder = file === undefined ? null : `${directory.work}/${FILE_PART}`
    return asUser({ uid, mounts, placeholder, before }, sandboxed)
  }
  if (before.length === 0) return `exec ${sandboxed}`
  const script = [...before, `exec ${sandboxed}`].join('\n')
  return `exec unshare --user --map-root-user --net -- /bin/sh -c ${quote(script)}`
}

/** Redirections of the descriptors that bubblewrap reads and writes. */
const descriptorsOf = ({ directory, seccomp, status, network }: SandboxOptions): string =>
  [
    `3>${quote(status)}`,
    ...(seccomp === null ? [] : [`4<${quote(seccomp)}`]),
    `5<${quote(`${directory.folder}/passwd`)}`,
    `6<${quote(`${directory.folder}/group`)}`,
    ...(network === 'internet' ? [`7<${quote(`${directory.folder}/net-resolv`)}`] : []),
    ...(network === 'machine' ? [] : [`8<${quote(`${directory.folder}/net-hosts`)}`]),
  ].join(' ')

const joinGroups = ({ procsFiles }: SandboxOptions): string[] =>
  procsFiles.map((file) => `echo $$ >${quote(file)} || exit 125`)

/**
 * The script for `sh -c` that runs one command. It prints the command's output as it comes until
 * the process in the `drain` file is killed, and then its last `OUTPUT_END` bytes.
 */
export function sandboxScript(options: SandboxOptions, command: string): string {
  const { directory, limits } = options
  const run = enterScript(options, [`${limitsScript(limits)}; exec /bin/sh -c "$1"`, 'sh', command])
  const pass = `/bin/sh -c ${quote(`echo $$ >${quote(drainPidFile(directory))}; exec cat`)}`
  return [
    ...joinGroups(options),
    `( ${run} ) 2>&1 </dev/null ${descriptorsOf(options)} | { ${pass}; tail -c ${OUTPUT_TAIL_BYTES}; }`,
  ].join('\n')
}

/**
 * The script for `sh -c` that executes a shell program in the sandbox, with the standard input and
 * output of the caller. Standard error goes to the output.
 */
export const sessionScript = (options: SandboxOptions, program: string): string =>
  [
    // Outside of the control groups, whose limits are for the job.
    ...(options.network === 'internet' ? [startForwarder(options.directory.folder)] : []),
    ...joinGroups(options),
    `exec 2>&1 ${descriptorsOf(options)}`,
    enterScript(options, [`${limitsScript(options.limits)}\n${program}`, 'sh']),
  ].join('\n')

/**
 * The script for `sh -c` that executes a shell program in the sandbox, with the standard input,
 * output and error of the caller.
 */
export const programScript = (options: SandboxOptions, program: string): string =>
  [
    ...joinGroups(options),
    `exec ${descriptorsOf(options)}`,
    enterScript(options, [`${limitsScript(options.limits)}\n${program}`, 'sh']),
  ].join('\n')

type Entry = {
  readonly uid: number
  /** Folders and files by the mount points at which the user finds them. */
  readonly mounts: Readonly<Record<string, string>>
  /** A file that is made because another one is mounted over it; null for none. */
  readonly placeholder: string | null
  /** What is done in a network namespace of its own, with the rights of root; nothing without. */
  readonly before: readonly string[]
}

/** Mounts folders at mount points of a private namespace and changes to a user. */
function asUser({ uid, mounts, placeholder, before }: Entry, command: string): string {
  const user = `--reuid=${uid} --regid=${uid} --clear-groups --inh-caps=-all`
  const enter = [
    ...(placeholder === null ? [] : [`: >>${quote(placeholder)}`]),
    ...Object.entries(mounts).map(([at, folder]) => `mount --bind -- ${quote(folder)} ${at}`),
    'cd /',
    `exec setpriv ${user} ${command}`,
  ].join(' && ')
  const script = [...before, enter].join('\n')
  const spaces = before.length === 0 ? '--mount' : '--mount --net'
  return `exec unshare ${spaces} --propagation private -- /bin/sh -c ${quote(script)}`
}

/** The file with the id of the process that passes the output on until it is killed. */
export const drainPidFile = (directory: JobDirectory): string => `${directory.folder}/drain`

/** The files that the script reads besides the filter. */
export function sandboxFiles(
  { folder }: JobDirectory,
  layout: SandboxLayout,
  network: Network,
): Readonly<Record<string, string>> {
  const files = { [`${folder}/passwd`]: passwdOf(layout), [`${folder}/group`]: groupOf(layout) }
  if (network === 'machine') return files
  const hosts = { [`${folder}/net-hosts`]: JOB_HOSTS }
  if (network === 'none') return { ...files, ...hosts }
  const { rules, resolv } = internetFiles()
  return {
    ...files,
    ...hosts,
    [`${folder}/net-rules`]: rules,
    [`${folder}/net-resolv`]: resolv,
  }
}
