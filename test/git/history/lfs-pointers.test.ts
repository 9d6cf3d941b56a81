import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startHost, type TestHost } from '../support/host.ts'
import { git } from '../support/real-git.ts'

const directory = mkdtempSync(join(tmpdir(), 'hearth-pointers-'))
const work = join(directory, 'work')
let host: TestHost
const store = 'pointers'
const commits: string[] = []

const oidOf = (digit: string): string => digit.repeat(64)
const pointer = (digit: string, size = 5): string =>
  `version https://git-lfs.github.com/spec/v1\noid sha256:${oidOf(digit)}\nsize ${size}\n`

async function commit(files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) writeFileSync(join(work, path), text)
  await git(work, 'add', '-A')
  await git(work, 'commit', '-q', '-m', 'change')
  commits.push((await git(work, 'rev-parse', 'HEAD')).trim())
}

beforeAll(async () => {
  host = await startHost()
  await git(directory, 'init', '-q', '-b', 'main', 'work')
  mkdirSync(join(work, 'art'))
  await commit({ '.gitattributes': '*.psd filter=lfs -text\n', 'early.dat': pointer('1') })
  await commit({ 'art/a.psd': pointer('2'), 'same.psd': pointer('2'), 'text.md': pointer('3') })
  await commit({ '.gitattributes': '*.psd filter=lfs\n*.dat filter=lfs\n', 'b.psd': pointer('4') })
  await commit({ 'large.psd': `${pointer('5')}${'x'.repeat(1100)}` })
  await host.create(store)
  await git(work, 'push', '-q', host.remote(store), '--all')
})
afterAll(async () => {
  await host.close()
  rmSync(directory, { recursive: true, force: true })
})

test('pointers count where the filter is lfs, each file once', async () => {
  const { pointers, complete } = await host.git.findAddedPointers(store, { tips: [commits[3]!] })
  expect(complete).toBe(true)
  expect(pointers).toEqual([
    { path: 'b.psd', oid: oidOf('4'), size: 5 },
    { path: 'art/a.psd', oid: oidOf('2'), size: 5 },
  ])
})

test('what was there before is not added again', async () => {
  const added = async (tip: number, hide: number) =>
    (
      await host.git.findAddedPointers(store, { tips: [commits[tip]!], hide: [commits[hide]!] })
    ).pointers.map(({ path }) => path)
  expect(await added(2, 1)).toEqual(['b.psd'])
  expect(await added(3, 2)).toEqual([])
})

test('every pointer of the history is found where none may be missed', async () => {
  const { pointers } = await host.git.findAddedPointers(store, {
    tips: [commits[3]!],
    anyPath: true,
  })
  expect(pointers.map(({ oid }) => oid[0]).sort()).toEqual(['1', '2', '3', '4'])
})

test('a limit ends the search, and the answer says so', async () => {
  const tips = [commits[3]!]
  for (const limits of [{ commits: 1 }, { pointers: 1 }])
    expect((await host.git.findAddedPointers(store, { tips, limits })).complete).toBe(false)
})

test('a tree has the pointers that its own attributes make files of Git LFS', async () => {
  const digits = async (tip: number, limit = 100) =>
    (await host.git.listPointers(store, commits[tip]!, limit)).map(({ oid }) => oid[0]).sort()
  expect(await digits(1)).toEqual(['2'])
  // The attributes came after the file.
  expect(await digits(2)).toEqual(['1', '2', '4'])
  expect(await digits(2, 1)).toHaveLength(1)
})
