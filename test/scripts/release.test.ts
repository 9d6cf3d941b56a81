import { afterAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeArchive } from '../../scripts/release/archive.ts'
import { hasIntegrity, runtimeFor, TARGETS, type Target } from '../../scripts/release/runtimes.ts'
import type { Lock } from '../../scripts/spdx.ts'

const folder = mkdtempSync(join(tmpdir(), 'hearth-release-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('an archive holds the files with their rights, and is the same bytes each time', async () => {
  const entries = [
    { name: 'hearth', bytes: crypto.getRandomValues(new Uint8Array(50_000)), mode: 0o755 },
    { name: 'LICENSE', bytes: new TextEncoder().encode('free\n'), mode: 0o644 },
  ]
  const [one, two] = [join(folder, 'one.tar.gz'), join(folder, 'two.tar.gz')]
  await writeArchive(one, 'hearth-1', entries, 1_700_000_000)
  await writeArchive(two, 'hearth-1', entries, 1_700_000_000)
  expect(readFileSync(one).equals(readFileSync(two))).toBe(true)
  const listed = await Bun.$`tar -tvzf ${one}`.env({ ...process.env, TZ: 'UTC' }).text()
  expect(
    listed
      .trim()
      .split('\n')
      .map((line) => line.replace(/\s+/g, ' ')),
  ).toEqual([
    'drwxr-xr-x root/root 0 2023-11-14 22:13 hearth-1/',
    '-rwxr-xr-x root/root 50000 2023-11-14 22:13 hearth-1/hearth',
    '-rw-r--r-- root/root 5 2023-11-14 22:13 hearth-1/LICENSE',
  ])
})

const locked = (target: Target, version: string, bytes: Uint8Array): Lock => ({
  name: 'x',
  version: '1',
  packages: {
    [`node_modules/${TARGETS[target]}`]: {
      version,
      integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
    },
  },
})

test('a runtime is taken as package-lock.json names it, and anything else is refused and removed', async () => {
  const cache = join(folder, 'cache')
  mkdirSync(join(folder, 'package', 'bin'), { recursive: true })
  mkdirSync(cache)
  writeFileSync(join(folder, 'package', 'bin', 'bun'), 'a runtime')
  const archive = join(cache, `oven-bun-linux-aarch64-${Bun.version}.tgz`)
  await Bun.$`tar -C ${folder} -czf ${archive} package`
  const bytes = readFileSync(archive)
  expect(
    readFileSync(
      runtimeFor('linux-arm64', locked('linux-arm64', Bun.version, bytes), cache),
      'utf8',
    ),
  ).toBe('a runtime')
  expect(() => runtimeFor('linux-arm64', locked('linux-arm64', '0.0.1', bytes), cache)).toThrow(
    '0.0.1',
  )
  expect(() => runtimeFor('darwin-x64', locked('linux-arm64', Bun.version, bytes), cache)).toThrow(
    'does not name @oven/bun-darwin-x64',
  )
  expect(() =>
    runtimeFor('linux-arm64', locked('linux-arm64', Bun.version, new Uint8Array(3)), cache),
  ).toThrow('is not what package-lock.json names')
  expect(await Bun.file(archive).exists()).toBe(false)
})

test('every kind of machine has its runtime in package-lock.json, of the Bun that builds', () => {
  const lock = JSON.parse(
    readFileSync(join(import.meta.dir, '../../package-lock.json'), 'utf8'),
  ) as Lock
  for (const name of Object.values(TARGETS))
    expect([name, lock.packages[`node_modules/${name}`]?.version]).toEqual([name, Bun.version])
  expect(hasIntegrity(new Uint8Array(), 'md5-1B2M2Y8AsgTpgAmY7PhCfg==')).toBe(false)
})
