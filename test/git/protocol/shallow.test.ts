import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { makeHistory, objectsOf } from '../support/history.ts'
import { startHost, type TestHost } from '../support/host.ts'
import { discard, git, scratch, tryGit } from '../support/real-git.ts'

let host: TestHost
let work: string
let source: string
let count = 0

beforeAll(async () => {
  work = scratch()
  source = await makeHistory(work, 'source', { seed: 21, commits: 70 })
  host = await startHost()
  await host.create('one')
  await git(source, 'push', '-q', '--mirror', host.remote('one'))
})

afterAll(async () => {
  await host.close()
  discard(work)
})

/**
 * The same clone from the engine and from git itself, each followed by the same further commands.
 */
async function both(
  version: string,
  cloneArgs: readonly string[],
  ...further: (readonly string[])[]
) {
  const results = []
  for (const remote of [host.remote('one'), `file://${source}`]) {
    const copy = join(work, `copy-${count++}`)
    const settings = ['-c', `protocol.version=${version}`]
    const made = await tryGit(work, [
      ...settings,
      'clone',
      '-q',
      '--bare',
      ...cloneArgs,
      remote,
      copy,
    ])
    const codes = [made.code]
    for (const args of further) codes.push((await tryGit(copy, [...settings, ...args])).code)
    const commits = made.code === 0 ? (await git(copy, 'rev-list', '--all')).split('\n').sort() : []
    const boundary =
      made.code === 0
        ? (await git(copy, 'rev-list', '--all', '--boundary', '--max-parents=0')).split('\n').sort()
        : []
    const fsck = made.code === 0 ? (await tryGit(copy, ['fsck', '--strict'])).code : -1
    const objects = made.code === 0 ? await objectsOf(copy) : []
    results.push({ codes, commits, boundary, fsck, objects })
  }
  return results
}

async function same(
  version: string,
  cloneArgs: readonly string[],
  ...further: (readonly string[])[]
) {
  const [ours, theirs] = await both(version, cloneArgs, ...further)
  expect(ours).toEqual(theirs!)
  return ours!
}

for (const version of ['0', '1', '2']) {
  describe(`protocol ${version}`, () => {
    test('a clone of depth 1 has one commit', async () => {
      const made = await same(version, ['--depth', '1'])
      expect(made.commits.length).toBe(1)
      expect(made.fsck).toBe(0)
    })

    test('deepening, and then everything', async () => {
      const deeper = await same(
        version,
        ['--depth', '3'],
        ['fetch', '-q', '--depth', '10', 'origin', 'main'],
      )
      expect(deeper.commits.length).toBeGreaterThan(9)
      await same(version, ['--depth', '3'], ['fetch', '-q', '--deepen', '4', 'origin', 'main'])
      const all = await same(
        version,
        ['--depth', '2'],
        ['fetch', '-q', '--unshallow', 'origin', 'main'],
      )
      expect(all.boundary.length).toBe(1)
    })

    test('from a time on, and without what a tag has', async () => {
      const since = await same(version, [`--shallow-since=${1_600_000_000 + 40 * 60}`])
      expect(since.commits.length).toBeGreaterThan(5)
      const without = await same(version, ['--shallow-exclude=v30'])
      expect(without.commits.length).toBeGreaterThan(5)
      const nothing = await both(version, ['--shallow-since=4000000000'])
      expect(nothing.map((result) => result.codes)).toEqual([[128], [128]])
    })

    test('a whole clone can be made shallow', async () => {
      await same(version, [], ['fetch', '-q', '--depth', '5', 'origin', 'main'])
    })
  })
}

test('a shallow clone gets new commits without older ones', async () => {
  await host.create('growing')
  const all = (await git(source, 'rev-list', '--first-parent', 'main')).split('\n')
  await git(source, 'push', '-q', host.remote('growing'), `${all[8]}:refs/heads/main`)
  const copy = join(work, 'growing')
  await git(work, 'clone', '-q', '--bare', '--depth', '2', host.remote('growing'), copy)
  await git(source, 'push', '-q', host.remote('growing'), 'main')
  await git(copy, 'fetch', '-q', 'origin', 'main:main')
  expect((await tryGit(copy, ['fsck', '--strict'])).code).toBe(0)
  expect(await git(copy, 'rev-parse', 'main')).toBe(all[0]!)
})
