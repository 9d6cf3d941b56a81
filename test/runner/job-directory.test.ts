import { afterAll, expect, test } from 'bun:test'
import { createRunner, writeCheckout, type CheckoutEntry } from '#runner'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const data = mkdtempSync(join(tmpdir(), 'hearth-checkout-'))
afterAll(() => rmSync(data, { recursive: true, force: true }))
const text = (value: string): Uint8Array => new TextEncoder().encode(value)

async function* each(entries: readonly CheckoutEntry[]): AsyncGenerator<CheckoutEntry> {
  yield* entries
}

let counter = 0
async function checkOut(entries: readonly CheckoutEntry[]): Promise<string> {
  const folder = join(data, `build-${++counter}`)
  mkdirSync(folder)
  await writeCheckout(folder, each(entries))
  return folder
}

const file = (path: string, executable = false): CheckoutEntry => ({
  path,
  kind: 'file',
  executable,
  data: text(path),
})

test('writes files with their modes, links as links, and submodules as empty folders', async () => {
  const folder = await checkOut([
    file('README.md'),
    file('bin/run', true),
    { path: 'vendor/lib', kind: 'folder' },
    { path: 'docs/here', kind: 'link', target: text('../README.md') },
    file('deep/er/and/deeper'),
  ])
  expect(readFileSync(join(folder, 'README.md'), 'utf8')).toBe('README.md')
  expect(statSync(join(folder, 'bin/run')).mode & 0o777).toBe(0o755)
  expect(statSync(join(folder, 'README.md')).mode & 0o777).toBe(0o644)
  expect(readlinkSync(join(folder, 'docs/here'))).toBe('../README.md')
  expect(statSync(join(folder, 'vendor/lib')).isDirectory()).toBe(true)
  expect(existsSync(join(folder, 'deep/er/and/deeper'))).toBe(true)
})

test('never writes through a link, whatever the order', async () => {
  const outside = join(data, 'outside')
  mkdirSync(outside)
  writeFileSync(join(outside, 'file'), 'untouched')
  // A tree cannot hold both, but a checkout must not depend on that.
  for (const entries of [
    [{ path: 'a', kind: 'link', target: outside }, file('a/file')],
    [file('a/file'), { path: 'a', kind: 'link', target: outside }],
    [{ path: 'x', kind: 'link', target: join(outside, 'file') }, file('x')],
  ] as CheckoutEntry[][])
    await checkOut(entries).catch(() => {})
  expect(readFileSync(join(outside, 'file'), 'utf8')).toBe('untouched')
  const folder = await checkOut([{ path: 'out', kind: 'link', target: '/etc/passwd' }])
  expect(lstatSync(join(folder, 'out')).isSymbolicLink()).toBe(true)
})

for (const path of [
  '../escape',
  '/etc/escape',
  'a/../../escape',
  '.git/config',
  'sub/.GIT/hooks/x',
  'a//b',
  './x',
  '',
  'nul\0',
  `${'n'.repeat(300)}`,
]) {
  test(`refuses ${JSON.stringify(path.slice(0, 30))}`, async () => {
    await expect(checkOut([file(path)])).rejects.toThrow(/checkout|repository|too long/)
    expect(existsSync(join(data, 'escape'))).toBe(false)
  })
}

test('a workplace begins empty, also when one of the same name was left', async () => {
  const runner = createRunner({
    directory: join(data, 'checks'),
    isolation: 'none',
    network: false,
    readable: [],
    hidden: [],
  })
  const first = await runner.createDirectory('same')
  writeFileSync(join(first.build, 'left'), 'left')
  const second = await runner.createDirectory('same')
  expect(existsSync(join(second.build, 'left'))).toBe(false)
  expect(statSync(second.folder).mode & 0o077).toBe(0)
  expect(await runner.removeDirectory(second)).toBe(true)
  expect(existsSync(second.folder)).toBe(false)
})
