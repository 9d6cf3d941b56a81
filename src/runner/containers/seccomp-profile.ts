/**
 * The filter of system calls of containers: that of podman, or a list of our own, less what the
 * sandbox of jobs refuses too. podman's own allows sockets that a network namespace does not hold, such as AF_VSOCK, which
 * reaches the host of a virtual machine; and namespaces, in which programs of a container would be
 * root before the kernel.
 */
import { existsSync } from 'node:fs'
import { FAMILIES, NEW_NAMESPACES } from '../seccomp.ts'
import { SYSTEM_CALLS } from './system-calls.ts'

const PATHS = ['/etc/containers/seccomp.json', '/usr/share/containers/seccomp.json']

/** The profile of this machine (containers-common); null when there is none. */
export const findProfile = (): string | null => PATHS.find((path) => existsSync(path)) ?? null

const REFUSED = new Set([
  ...['unshare', 'setns', 'clone3', 'mount', 'umount', 'umount2', 'pivot_root', 'mount_setattr'],
  ...['move_mount', 'open_tree', 'fsopen', 'fsmount', 'fsconfig', 'fspick'],
  ...['io_uring_setup', 'io_uring_enter', 'io_uring_register'],
  // 32 bit programs would make every socket by it; they do not run at all.
  'socketcall',
])
const WITH_ARGUMENTS = new Set(['socket', 'clone'])

type Rule = { readonly names?: readonly string[]; readonly action: string }
type Profile = {
  readonly archMap?: readonly { readonly architecture: string }[]
  readonly syscalls: readonly Rule[]
}

const allow = (name: string, op: string, value: number, valueTwo: number) => ({
  names: [name],
  action: 'SCMP_ACT_ALLOW',
  args: [{ index: 0, value, valueTwo, op }],
})

/** Sockets of the families of the sandbox, and new processes without new namespaces. */
const ALLOWED_PARTLY = [
  ...FAMILIES.map((family) => allow('socket', 'SCMP_CMP_EQ', family, 0)),
  allow('clone', 'SCMP_CMP_MASKED_EQ', NEW_NAMESPACES, 0),
]

/** The profile for containers of jobs, from that of podman. */
export function profileOfJobs(text: string): string {
  const profile = JSON.parse(text) as Profile
  const rest = profile.syscalls.flatMap((rule) => {
    const names = rule.names?.filter((name) => !REFUSED.has(name) && !WITH_ARGUMENTS.has(name))
    return names === undefined || names.length === 0 ? [] : [{ ...rule, names }]
  })
  return JSON.stringify({
    ...profile,
    ...(profile.archMap && {
      archMap: profile.archMap.map((arch) => ({ ...arch, subArchitectures: [] })),
    }),
    syscalls: [...rest, ...ALLOWED_PARTLY],
  })
}

/** What personality(2) may set: Linux and its 32 bit form, each with old version numbers; and nothing. */
const PERSONALITIES = [0, 0x8, 0x20000, 0x20008, 0xffffffff]

const ARCHITECTURES: Readonly<Record<string, string>> = {
  x64: 'SCMP_ARCH_X86_64',
  arm64: 'SCMP_ARCH_AARCH64',
}
const ENOSYS = 38

/** The profile for containers of jobs where the machine has none, as Docker does not. */
export function ownProfile(arch: string = process.arch): string {
  const architecture = ARCHITECTURES[arch]
  if (architecture === undefined) throw new Error(`there is no filter of system calls for ${arch}`)
  const refused = { action: 'SCMP_ACT_ERRNO', errnoRet: ENOSYS }
  return JSON.stringify({
    defaultAction: 'SCMP_ACT_ERRNO',
    defaultErrnoRet: ENOSYS,
    archMap: [{ architecture, subArchitectures: [] }],
    syscalls: [
      { names: SYSTEM_CALLS, action: 'SCMP_ACT_ALLOW' },
      ...PERSONALITIES.map((value) => allow('personality', 'SCMP_CMP_EQ', value, 0)),
      ...ALLOWED_PARTLY,
      // Docker 20.10 gives EPERM to what is in no list, and the C library falls back at ENOSYS alone.
      { ...refused, names: ['clone3'] },
    ],
  })
}
