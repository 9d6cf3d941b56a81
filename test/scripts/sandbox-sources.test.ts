import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sandboxSources } from '../../scripts/release/sandbox-sources.ts'

const root = join(import.meta.dir, '../..')

test('licences and whole sources of the programs for the sandbox go with a release', () => {
  const sources = new Map(sandboxSources(root).map(({ path, bytes }) => [path, bytes]))
  expect([...sources.keys()]).toEqual([
    'COPYING.bubblewrap',
    'COPYRIGHT.musl',
    'LICENSE.zig',
    'README.md',
    'bubblewrap_0.11.0.orig.tar.xz',
    'forward.c',
    'hold.c',
    'include/config.h',
    'include/sys/capability.h',
    'step.c',
    'build-sandbox.ts',
  ])
  const archive = sources.get('bubblewrap_0.11.0.orig.tar.xz') ?? new Uint8Array(0)
  const digest = createHash('sha256').update(archive).digest('hex')
  for (const script of ['scripts/build-sandbox.ts', 'scripts/spdx.ts'])
    expect(readFileSync(join(root, script), 'utf8')).toContain(digest)
  expect(Buffer.from(sources.get('COPYING.bubblewrap') ?? '').toString()).toContain(
    'GNU LIBRARY GENERAL PUBLIC LICENSE',
  )
})

/** From the head of an ELF file: its machine, and whether it names an interpreter. */
function elfOf(name: string): { machine: number; isDynamic: boolean } {
  const bytes = readFileSync(join(root, 'assets/sandbox', name))
  const types = Array.from({ length: bytes.readUInt16LE(56) }, (_, n) =>
    bytes.readUInt32LE(Number(bytes.readBigUInt64LE(32)) + n * bytes.readUInt16LE(54)),
  )
  const INTERPRETER = 3
  return { machine: bytes.readUInt16LE(18), isDynamic: types.includes(INTERPRETER) }
}

test('the programs are static, each for its kind of machine', () => {
  const [X64, ARM64] = [62, 183]
  for (const program of ['bwrap', 'forward', 'hold', 'step']) {
    expect(elfOf(`${program}-x64.bin`)).toEqual({ machine: X64, isDynamic: false })
    expect(elfOf(`${program}-arm64.bin`)).toEqual({ machine: ARM64, isDynamic: false })
  }
})
