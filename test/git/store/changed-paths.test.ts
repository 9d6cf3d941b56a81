import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  buildPathFilter,
  MATCH_ALL_FILTER,
  mayContain,
  pathHashes,
} from '../../../src/git/store/changed-paths.ts'
import { makeHistory, refsOf } from '../support/history.ts'
import { startHost, type TestHost } from '../support/host.ts'
import { discard, git, scratch } from '../support/real-git.ts'

let host: TestHost
let work: string
let source: string

beforeAll(async () => {
  work = scratch()
  source = await makeHistory(work, 'source', { seed: 5, commits: 120 })
  host = await startHost()
  await host.create('one')
  await git(source, 'push', '-q', '--mirror', host.remote('one'))
  await host.git.maintain('one', [...(await refsOf(source)).values()])
})

afterAll(async () => {
  await host.close()
  discard(work)
})

/** The chunks of a commit-graph by name (gitformat-commit-graph). */
function chunksOf(path: string): Map<string, Buffer> {
  const bytes = readFileSync(path)
  const row = (i: number): number => Number(bytes.readBigUInt64BE(12 + i * 12))
  return new Map(
    Array.from({ length: bytes[6] ?? 0 }, (_, i) => [
      bytes.toString('latin1', 8 + i * 12, 12 + i * 12),
      bytes.subarray(row(i), row(i + 1)),
    ]),
  )
}

test("the filters in a commit-graph equal git's byte for byte", async () => {
  await git(source, 'commit-graph', 'write', '--reachable', '--changed-paths')
  const theirs = chunksOf(join(source, 'objects', 'info', 'commit-graph'))
  const ours = chunksOf(join(host.root, 'one', 'objects', 'info', 'commit-graph'))
  for (const chunk of ['OIDL', 'BIDX', 'BDAT']) {
    expect(ours.get(chunk)?.length).toBeGreaterThan(12)
    expect(ours.get(chunk)?.equals(theirs.get(chunk) ?? Buffer.alloc(0))).toBe(true)
  }
})

test('a second maintenance run keeps the filters', async () => {
  const path = join(host.root, 'one', 'objects', 'info', 'commit-graph')
  const before = readFileSync(path)
  await host.git.maintain('one', [...(await refsOf(source)).values()])
  expect(readFileSync(path).equals(before)).toBe(true)
})

test("log and blame of every path equal git's", async () => {
  const head = await git(source, 'rev-parse', 'main')
  const paths = (await git(source, 'ls-tree', '-r', '-t', '-z', '--name-only', 'main'))
    .split('\0')
    .filter((path) => path !== '')
  expect(paths.length).toBeGreaterThan(10)
  for (const path of paths) {
    const ours = await host.git.log('one', { tips: [head], path })
    expect(ours.map(({ oid }) => oid)).toEqual(
      (await git(source, 'log', '--format=%H', 'main', '--', path)).split('\n'),
    )
  }
  for (const path of (await git(source, 'ls-tree', '-r', '-z', '--name-only', 'main'))
    .split('\0')
    .filter((each) => each !== '')
    .slice(0, 8)) {
    const porcelain = await git(source, 'blame', '--line-porcelain', 'main', '--', path)
    const theirs = [...porcelain.matchAll(/^([0-9a-f]{40}) \d+ \d+/gm)].map(
      (match) => match[1] ?? '',
    )
    const ranges = await host.git.blame('one', head, path)
    expect(
      ranges.flatMap(({ from_line, to_line, commit }) =>
        Array.from({ length: to_line - from_line + 1 }, () => commit.oid),
      ),
    ).toEqual(theirs)
  }
})

test("the last commit of every directory entry equals git's", async () => {
  const head = await git(source, 'rev-parse', 'main')
  const folders = [
    '',
    ...(await git(source, 'ls-tree', '-r', '-t', '-d', '-z', '--name-only', 'main'))
      .split('\0')
      .filter((path) => path !== ''),
  ]
  expect(folders.length).toBeGreaterThan(2)
  for (const folder of folders) {
    for (const { name, commit } of await host.git.findLastCommits('one', head, folder)) {
      expect([name, commit.oid]).toEqual([
        name,
        await git(
          source,
          'rev-list',
          '-n1',
          'main',
          '--',
          `:(literal)${folder === '' ? name : `${folder}/${name}`}`,
        ),
      ])
    }
  }
})

test('the busiest files are those with the most commits', async () => {
  const head = await git(source, 'rev-parse', 'main')
  const times = new Map<string, number>()
  for (const path of (
    await git(
      source,
      'log',
      '--no-merges',
      '--no-renames',
      '-m',
      '--name-only',
      '-z',
      '--format=',
      'main',
    )
  ).split('\0'))
    if (path !== '') times.set(path, (times.get(path) ?? 0) + 1)
  const busy = await host.git.findBusyPaths('one', head, { commits: 1000, paths: 5 })
  expect(busy).toHaveLength(5)
  const most = Math.max(...times.values())
  expect(times.get(busy[0] ?? '')).toBeGreaterThanOrEqual(most * 0.8)
})

test('a filter contains the files and their directories, and almost no other path', () => {
  const filter = buildPathFilter(['src/git/a.ts', 'README.md'])
  const holds = (path: string): boolean => mayContain(filter, 0, filter.length, pathHashes(path))
  for (const path of ['src', 'src/git', 'src/git/a.ts', 'README.md']) expect(holds(path)).toBe(true)
  expect(Array.from({ length: 1000 }, (_, i) => `other/${i}`).filter(holds).length).toBeLessThan(
    100,
  )
})

test('too many paths and non-ASCII paths get a filter that matches everything', () => {
  expect(buildPathFilter(null)).toEqual(MATCH_ALL_FILTER)
  expect(buildPathFilter(['\xe4.txt'])).toEqual(MATCH_ALL_FILTER)
  expect(buildPathFilter(Array.from({ length: 600 }, (_, i) => `file${i}`))).toEqual(
    MATCH_ALL_FILTER,
  )
  expect(mayContain(MATCH_ALL_FILTER, 0, 1, pathHashes('anything'))).toBe(true)
  expect(mayContain(MATCH_ALL_FILTER, 0, 0, pathHashes('anything'))).toBe(true)
})
