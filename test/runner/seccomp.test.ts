import { expect, test } from 'bun:test'
import { seccompFilter } from '#src/runner/seccomp.ts'

const ALLOW = 0x7fff0000
const errno = (value: number): number => value & 0xffff

/** Runs a filter as the kernel does, as far as it uses the machine (linux/filter.h). */
function verdict(arch: string, call: { audit: number; number: number; first?: number }): number {
  const bytes = seccompFilter(arch)
  if (!bytes) throw new Error(`no filter for ${arch}`)
  const data = new Map([
    [0, call.number],
    [4, call.audit],
    [16, call.first ?? 0],
  ])
  const view = new DataView(bytes.buffer)
  let register = 0
  for (let at = 0; at < bytes.length / 8; at++) {
    const code = view.getUint16(at * 8, true)
    const value = view.getUint32(at * 8 + 4, true)
    const jump = (yes: boolean) => void (at += view.getUint8(at * 8 + (yes ? 2 : 3)))
    if (code === 0x06) return value
    if (code === 0x20) register = data.get(value) ?? Number.NaN
    else if (code === 0x15) jump(register === value)
    else if (code === 0x35) jump(register >= value)
    else if (code === 0x45) jump((register & value) !== 0)
    else throw new Error(`no instruction ${code}`)
  }
  throw new Error('the filter has no end')
}

const CALLS = {
  // read, write, execve, ptrace: what programs need.
  x64: {
    audit: 0xc000003e,
    fine: [0, 1, 59, 101],
    absent: [165, 272, 321, 425, 435],
    fallocate: 285,
    socket: 41,
    clone: 56,
  },
  arm64: {
    audit: 0xc00000b7,
    fine: [63, 64, 221, 117],
    absent: [40, 97, 280, 425, 435],
    fallocate: 47,
    socket: 198,
    clone: 220,
  },
} as const

for (const [arch, { audit, fine, absent, fallocate, socket, clone }] of Object.entries(CALLS)) {
  test(`${arch}: lets pass what programs need and refuses what only attacks need`, () => {
    for (const number of fine) expect(verdict(arch, { audit, number })).toBe(ALLOW)
    for (const number of absent) expect(errno(verdict(arch, { audit, number }))).toBe(38)
    expect(errno(verdict(arch, { audit, number: fallocate }))).toBe(95)
    // Unix, IPv4, IPv6 and netlink; not raw packets, virtual machines and ciphers.
    for (const family of [1, 2, 10, 16])
      expect(verdict(arch, { audit, number: socket, first: family })).toBe(ALLOW)
    for (const family of [0, 17, 38, 40, 45])
      expect(errno(verdict(arch, { audit, number: socket, first: family }))).toBe(97)
    // A thread and a fork, and then a namespace of users.
    expect(verdict(arch, { audit, number: clone, first: 0x3d0f00 })).toBe(ALLOW)
    expect(verdict(arch, { audit, number: clone, first: 0x11 })).toBe(ALLOW)
    expect(errno(verdict(arch, { audit, number: clone, first: 0x10000000 }))).toBe(1)
    // The same numbers under another architecture.
    expect(errno(verdict(arch, { audit: 0x40000003, number: fine[0] }))).toBe(38)
  })
}

test('an architecture whose numbers are not known has no filter', () => {
  expect(seccompFilter('riscv64')).toBeNull()
})
