/**
 * A seccomp filter (Linux Documentation/userspace-api/seccomp_filter.rst; classic BPF,
 * linux/filter.h) for system calls that commands do not need and that kernel exploits have used. It
 * is a second barrier behind the namespaces. A forbidden call fails as if the kernel did not have
 * it, so programs fall back.
 */

type Arch = {
  readonly audit: number
  readonly clone: number
  readonly absent: readonly number[]
  readonly fallocate: number
  readonly socket: number
}

/**
 * System call numbers of asm/unistd.h: mounts and namespaces, keys, bpf, perf, userfaultfd,
 * io_uring, modules, clone3 and similar ones.
 */
const ARCHS: Readonly<Record<string, Arch>> = {
  x64: {
    audit: 0xc000003e,
    clone: 56,
    fallocate: 285,
    socket: 41,
    absent: [
      103, 155, 163, 165, 166, 167, 168, 169, 175, 176, 179, 246, 248, 249, 250, 272, 298, 303, 304,
      308, 313, 320, 321, 323, 425, 426, 427, 428, 429, 430, 431, 432, 433, 435, 442,
    ],
  },
  arm64: {
    audit: 0xc00000b7,
    clone: 220,
    fallocate: 47,
    socket: 198,
    absent: [
      39, 40, 41, 60, 89, 97, 104, 105, 106, 116, 142, 217, 218, 219, 224, 225, 241, 264, 265, 268,
      273, 280, 282, 294, 425, 426, 427, 428, 429, 430, 431, 432, 433, 435, 442,
    ],
  },
}

const LOAD = 0x20
const EQUAL = 0x15
const AT_LEAST = 0x35
const ANY_BIT = 0x45
const RETURN = 0x06
const ALLOW = 0x7fff0000
const refuse = (errno: number): number => 0x00050000 | errno
const EPERM = 1
const ENOSYS = 38
const EOPNOTSUPP = 95
const EAFNOSUPPORT = 97
/** The flags of clone that create a namespace (linux/sched.h). */
export const NEW_NAMESPACES = 0x7e020000
/**
 * Families of sockets (linux/socket.h): unix, IPv4, IPv6, and netlink, which lists addresses. A
 * network namespace does not hold others: AF_VSOCK reaches the host of a virtual machine.
 */
export const FAMILIES = [1, 2, 10, 16] as const
/** Offsets in struct seccomp_data. */
const NUMBER = 0
const ARCHITECTURE = 4
const FIRST_ARGUMENT = 16

type Instruction = readonly [code: number, yes: number, no: number, value: number]

/** The filter for an architecture as bytes; null where its numbers are not known. */
export function seccompFilter(arch: string): Uint8Array | null {
  const known = ARCHS[arch]
  if (!known) return null
  const program: Instruction[] = [
    [LOAD, 0, 0, ARCHITECTURE],
    [EQUAL, 1, 0, known.audit],
    // System calls of another word size have other numbers and would pass.
    [RETURN, 0, 0, refuse(ENOSYS)],
    [LOAD, 0, 0, NUMBER],
    [AT_LEAST, 0, 1, 0x40000000],
    [RETURN, 0, 0, refuse(ENOSYS)],
    // Without fallocate, files grow only as fast as they are written, so polling the disk suffices.
    [EQUAL, 0, 1, known.fallocate],
    [RETURN, 0, 0, refuse(EOPNOTSUPP)],
    ...known.absent.flatMap((number): Instruction[] => [
      [EQUAL, 0, 1, number],
      [RETURN, 0, 0, refuse(ENOSYS)],
    ]),
    [EQUAL, 0, FAMILIES.length + 3, known.socket],
    [LOAD, 0, 0, FIRST_ARGUMENT],
    ...FAMILIES.map((family, at): Instruction => [EQUAL, FAMILIES.length - at, 0, family]),
    [RETURN, 0, 0, refuse(EAFNOSUPPORT)],
    [RETURN, 0, 0, ALLOW],
    [EQUAL, 0, 3, known.clone],
    [LOAD, 0, 0, FIRST_ARGUMENT],
    [ANY_BIT, 0, 1, NEW_NAMESPACES],
    [RETURN, 0, 0, refuse(EPERM)],
    [RETURN, 0, 0, ALLOW],
  ]
  const bytes = new DataView(new ArrayBuffer(program.length * 8))
  program.forEach(([code, yes, no, value], at) => {
    bytes.setUint16(at * 8, code, true)
    bytes.setUint8(at * 8 + 2, yes)
    bytes.setUint8(at * 8 + 3, no)
    bytes.setUint32(at * 8 + 4, value >>> 0, true)
  })
  return new Uint8Array(bytes.buffer)
}
