/**
 * The walls around one command, as one script for the shell that runs it:
 *
 * 1. the shell joins the control groups, while it still may;
 * 2. where the server is root, a mount namespace of its own shows the work folder where an ordinary
 *    user can reach it, and
 *    that user is taken (setpriv). Everything from there on, bubblewrap included, has no more
 *    rights than that;
 * 3. bubblewrap makes namespaces for users, processes, network, mounts and the rest, with an empty
 *    root to which only
 *    programs and the work folder are added (https://github.com/containers/bubblewrap, bwrap(1));
 * 4. inside, a shell sets limits that children inherit (ulimit), offers itself to the kernel when
 *    memory runs out, and becomes
 *    the command.
 *
 * Output goes through a pipe that other processes drain, so that a command that writes without end
 * costs the server nothing.
 */
import { existsSync, lstatSync, readlinkSync } from 'node:fs'
import { OUTPUT_END, SHARED_MEMORY, type Limits } from './limits.ts'
import { PATH, quote, words } from './shell.ts'
import type { Workplace } from './workplace.ts'

export type SandboxOptions = {
  readonly place: Workplace
  readonly command: string
  readonly limits: Limits
  /**
   * Whether the command has the network of this machine; otherwise only a loopback device of its
   * own.
   */
  readonly network: boolean
  /** Folders besides the system's programs that are shown, read only. */
  readonly readable: readonly string[]
  /** Folders that must not be seen although they are inside one that is. */
  readonly hidden: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** The ordinary user to take; null where the server is one. */
  readonly uid: number | null
  /** Files to write the process id to. */
  readonly joins: readonly string[]
  /** A file with the filter of system calls; null for none. */
  readonly seccomp: string | null
  /** A file for what bubblewrap tells: only when it has an exit code did the command run. */
  readonly status: string
}

/** Who the command takes itself for. */
const INSIDE = 1000

/**
 * Of /etc, what programs need and what holds no secret. Of folders that may hold keys for a group
 * (`ssl/private`) only the parts without them: where the server is an ordinary user, a command
 * keeps its groups.
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
/** Only of use with a network. */
const ETC_NETWORK = ['gai.conf', 'host.conf', 'hosts', 'nsswitch.conf', 'resolv.conf']

/** Where settings of programs of this machine may hold passwords. */
const HIDDEN = ['/usr/local/etc', '/usr/etc']

const ROOTS = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'] as const

/** A folder that every system has and that a mount namespace of our own may cover. */
export const COVERED = ['/mnt', '/media', '/srv', '/opt'] as const

const inside = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)

const isFolder = (path: string): boolean => {
  try {
    return lstatSync(path).isDirectory()
  } catch {
    return false
  }
}

/**
 * Shows the system's programs: /usr, what other folders of the root are (usually links into it),
 * and a few files of /etc.
 */
function programs({ readable, hidden, network }: SandboxOptions): string[] {
  const shown = ['/usr', ...readable]
  const list = ['--ro-bind', '/usr', '/usr']
  for (const path of ROOTS) {
    if (!existsSync(path)) continue
    if (lstatSync(path).isSymbolicLink()) list.push('--symlink', readlinkSync(path), path)
    else list.push('--ro-bind', path, path)
  }
  for (const name of [...ETC, ...(network ? ETC_NETWORK : [])])
    list.push('--ro-bind-try', `/etc/${name}`, `/etc/${name}`)
  for (const path of readable) list.push('--ro-bind', path, path)
  for (const path of [...HIDDEN, ...hidden]) {
    if (isFolder(path) && shown.some((folder) => inside(path, folder)))
      list.push('--tmpfs', path, '--remount-ro', path)
  }
  return list
}

/** The arguments of bubblewrap. Descriptors 3 and 4 are its status and the filter. */
function bubblewrap(options: SandboxOptions, work: string, inner: string): string[] {
  const { network, env, seccomp } = options
  return [
    'bwrap',
    '--unshare-user',
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
    ...(network ? [] : ['--unshare-net']),
    '--disable-userns',
    '--uid',
    `${INSIDE}`,
    '--gid',
    `${INSIDE}`,
    '--hostname',
    'check',
    '--die-with-parent',
    '--new-session',
    '--cap-drop',
    'ALL',
    ...programs(options),
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--perms',
    '1777',
    '--size',
    `${SHARED_MEMORY}`,
    '--tmpfs',
    '/dev/shm',
    '--remount-ro',
    '/dev',
    ...IDENTITY,
    '--bind',
    `${work}/build`,
    '/build',
    '--bind',
    `${work}/home`,
    '/home/check',
    '--bind',
    `${work}/tmp`,
    '/tmp',
    '--symlink',
    '../tmp',
    '/var/tmp',
    '--chdir',
    '/build',
    '--remount-ro',
    '/',
    '--clearenv',
    ...Object.entries({
      PATH,
      HOME: '/home/check',
      USER: 'check',
      LOGNAME: 'check',
      LANG: 'C.UTF-8',
      TERM: 'dumb',
      TMPDIR: '/tmp',
      ...env,
    }).flatMap(([name, value]) => ['--setenv', name, value]),
    '--json-status-fd',
    '3',
    ...(seccomp === null ? [] : ['--seccomp', '4']),
    '--',
    '/bin/sh',
    '-c',
    inner,
    'sh',
    options.command,
  ]
}

/** Names for the user inside; real ones of the machine are nobody's business. */
const IDENTITY = ['--ro-bind-data', '5', '/etc/passwd', '--ro-bind-data', '6', '/etc/group']

const PASSWD = `root:x:0:0:root:/root:/bin/sh\ncheck:x:${INSIDE}:${INSIDE}:check:/home/check:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n`
const GROUP = `root:x:0:\ncheck:x:${INSIDE}:\nnogroup:x:65534:\n`

/**
 * Limits that the shell sets before it becomes the command. Blocks of 512 bytes and kilobytes are
 * POSIX's units.
 */
export const limitLines = ({ disk, memory, processes, files }: Limits): string =>
  [
    'ulimit -c 0',
    `ulimit -f ${Math.floor(disk / 512)}`,
    `ulimit -d ${Math.floor(memory / 1024)}`,
    `ulimit -n ${files}`,
    // The letter for processes differs between shells.
    `ulimit -u ${processes} 2>/dev/null || ulimit -p ${processes}`,
  ].join(' && ')

/**
 * The whole script. It is given to `sh -c`; its output is the command's, as it comes until
 * `drainPid` is ended, and then the end.
 */
export function sandboxScript(options: SandboxOptions): string {
  const { place, limits, uid, joins, seccomp, status } = options
  const inner = `{ ${limitLines(limits)}; } || exit 126; echo 1000 2>/dev/null >/proc/self/oom_score_adj; umask 022; exec /bin/sh -c "$1"`
  const covered = COVERED.find(isFolder) ?? '/mnt'
  const shut = words([
    'nice',
    '-n',
    '10',
    ...bubblewrap(options, uid === null ? place.work : covered, inner),
  ])
  const run =
    uid === null
      ? `exec ${shut}`
      : `exec unshare --mount --propagation private -- /bin/sh -c ${quote(
          `mount --bind -- ${quote(place.work)} ${covered} && cd / && exec setpriv --reuid=${uid} --regid=${uid} --clear-groups --inh-caps=-all ${shut}`,
        )}`
  const given = [
    `3>${quote(status)}`,
    ...(seccomp === null ? [] : [`4<${quote(seccomp)}`]),
    `5<${quote(`${place.folder}/passwd`)}`,
    `6<${quote(`${place.folder}/group`)}`,
  ]
  return [
    ...joins.map((file) => `echo $$ >${quote(file)} || exit 125`),
    `( ${run} ) 2>&1 </dev/null ${given.join(' ')} | { /bin/sh -c ${quote(`echo $$ >${quote(drainPid(place))}; exec cat`)}; tail -c ${OUTPUT_END}; }`,
  ].join('\n')
}

/**
 * The process that hands output on as it comes. Once it is ended, only the end of the output
 * follows.
 */
export const drainPid = (place: Workplace): string => `${place.folder}/drain`

/** What the script reads besides the filter. */
export const sandboxFiles = (place: Workplace): Readonly<Record<string, string>> => ({
  [`${place.folder}/passwd`]: PASSWD,
  [`${place.folder}/group`]: GROUP,
})
