/**
 * The filter of system calls of containers: that of podman, less what the sandbox of jobs refuses
 * too. podman's own allows sockets that a network namespace does not hold, such as AF_VSOCK, which
 * reaches the host of a virtual machine; and namespaces, in which programs of a container would be
 * root before the kernel.
 */
import { existsSync } from 'node:fs'
import { FAMILIES, NEW_NAMESPACES } from '../seccomp.ts'

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
    syscalls: [
      ...rest,
      ...FAMILIES.map((family) => allow('socket', 'SCMP_CMP_EQ', family, 0)),
      allow('clone', 'SCMP_CMP_MASKED_EQ', NEW_NAMESPACES, 0),
    ],
  })
}
