/** A repository whose own history ends early, because it was imported from such a one. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startBackend, type Backend } from '../support/backend.ts'
import { makeHistory, objectsOf } from '../support/history.ts'
import { startHost, type TestHost } from '../support/host.ts'
import { outside } from '../support/outside.ts'
import { discard, git, scratch, tryGit } from '../support/real-git.ts'

let host: TestHost
let work: string
let source: string
let backend: Backend
let count = 0

const shallowOf = (directory: string): string[] =>
  existsSync(join(directory, 'shallow'))
    ? readFileSync(join(directory, 'shallow'), 'utf8').trim().split('\n').sort()
    : []

/** Fetches all branches and tags of a remote into a namespace, as a mirror does. */
async function mirror(namespace: string, url: string): Promise<void> {
  const store = namespace.split('@')[0]!
  if (!host.refs.has(namespace)) await host.create(namespace)
  const local = await host.snapshot(namespace)
  const fetched = await host.git.fetchFrom(store, outside(), {
    url,
    local,
    prefixes: ['refs/heads/', 'refs/tags/'],
    apply: async () => {},
  })
  host.setRefs(
    namespace,
    fetched.refs.map(({ name, oid }) => [name, oid]),
  )
}

beforeAll(async () => {
  work = scratch()
  source = await makeHistory(work, 'source', { seed: 33, commits: 60 })
  await git(work, 'clone', '-q', '--bare', '--depth=6', `file://${source}`, 'cut')
  backend = startBackend(work)
  host = await startHost()
  await mirror('one', `${backend.url}/cut`)
})

afterAll(async () => {
  await backend.close()
  await host.close()
  discard(work)
})

type Outcome = {
  codes: number[]
  commits: string[]
  shallow: string[]
  objects: readonly string[]
  fsck: number
}

/** The same clone and further commands with the engine and with git's own server. */
async function both(
  version: string,
  cloneArgs: readonly string[],
  ...further: (readonly string[])[]
): Promise<[ours: Outcome, gits: Outcome]> {
  const run = async (remote: string): Promise<Outcome> => {
    const copy = join(work, `copy-${count++}`)
    const settings = ['-c', `protocol.version=${version}`]
    const clone = [...settings, 'clone', '-q', '--bare', ...cloneArgs, remote, copy]
    const codes = [(await tryGit(work, clone)).code]
    for (const args of further) codes.push((await tryGit(copy, [...settings, ...args])).code)
    return {
      codes,
      commits: (await git(copy, 'rev-list', '--all')).split('\n').sort(),
      shallow: shallowOf(copy),
      objects: await objectsOf(copy),
      fsck: (await tryGit(copy, ['fsck', '--strict'])).code,
    }
  }
  return [await run(host.remote('one')), await run(`${backend.url}/cut`)]
}

test('an import notes where the history ends, as git would', async () => {
  expect(shallowOf(join(host.root, 'one'))).toEqual(shallowOf(join(work, 'cut')))
  expect(shallowOf(join(host.root, 'one')).length).toBeGreaterThan(0)
})

for (const version of ['0', '1', '2']) {
  describe(`protocol ${version}`, () => {
    test('a clone has all that is here, and is shallow at the same commits', async () => {
      const [ours, gits] = await both(version, [])
      expect(ours).toEqual(gits)
      expect(ours.codes).toEqual([0])
      expect(ours.fsck).toBe(0)
      expect(ours.shallow).toEqual(shallowOf(join(work, 'cut')))
    })

    test('clones of any depth, and their deepening', async () => {
      for (const depth of ['1', '3', '6', '20']) {
        const [ours, gits] = await both(version, ['--depth', depth])
        expect(ours).toEqual(gits)
        expect(ours.fsck).toBe(0)
      }
      const [ours, gits] = await both(
        version,
        ['--depth', '2'],
        ['fetch', '-q', '--deepen', '2', 'origin', 'main'],
      )
      expect(ours).toEqual(gits)
    })

    test('--unshallow fetches as much as there is', async () => {
      const fetch = ['fetch', '-q', '--unshallow', '--update-shallow', 'origin', 'main']
      const [ours, gits] = await both(version, ['--depth', '2'], fetch)
      expect(ours).toEqual(gits)
      expect(ours.fsck).toBe(0)
      expect(ours.commits).toEqual(
        (await git(join(work, 'cut'), 'rev-list', 'main')).split('\n').sort(),
      )
    })
  })
}

test('history ends there for every reader', async () => {
  const cut = join(work, 'cut')
  const tip = await git(cut, 'rev-parse', 'main')
  const log = await host.git.log('one', { tips: [tip] })
  expect(log.map(({ oid }) => oid).sort()).toEqual(
    (await git(cut, 'rev-list', 'main')).split('\n').sort(),
  )
  const [root] = shallowOf(join(host.root, 'one'))
  expect((await host.git.readCommit('one', root!))?.parents).toEqual([])
  expect(await host.git.countAheadBehind('one', tip, root!)).toMatchObject({ behind: 0 })
  const blamed = await host.git.blame(
    'one',
    tip,
    (await git(cut, 'ls-tree', '--name-only', '-r', 'main')).split('\n')[0]!,
  )
  expect(blamed.length).toBeGreaterThan(0)
  expect(await host.git.verify('one', [tip])).toEqual([])
})

test('a mirror follows new commits, and maintenance keeps everything', async () => {
  const grown = join(work, 'grown')
  await git(work, 'clone', '-q', '--bare', '--depth=4', `file://${source}`, 'grown')
  await mirror('follows', `${backend.url}/grown`)
  const copy = join(work, 'following')
  await git(work, 'clone', '-q', '--bare', host.remote('follows'), copy)
  const tree = await git(grown, 'rev-parse', 'main^{tree}')
  const next = await git(grown, 'commit-tree', tree, '-p', 'main', '-m', 'One more')
  await git(grown, 'update-ref', 'refs/heads/main', next)
  await mirror('follows', `${backend.url}/grown`)
  await host.git.maintain('follows', [next], { graceMs: 0, nowMs: Date.now() + 3_600_000 })
  expect(await host.git.verify('follows', [next])).toEqual([])
  await git(copy, 'fetch', '-q', 'origin', 'main:main')
  expect(await git(copy, 'rev-list', 'main')).toBe(await git(grown, 'rev-list', 'main'))
  expect((await tryGit(copy, ['fsck', '--strict'])).code).toBe(0)
  const out = join(work, 'exported')
  await host.git.exportBare('follows', await host.snapshot('follows'), out)
  expect(await git(out, 'rev-list', 'main')).toBe(await git(grown, 'rev-list', 'main'))
  expect((await tryGit(out, ['fsck', '--strict'])).code).toBe(0)
})

test('people push on, from a clone of it', async () => {
  await host.create('pushed')
  await mirror('pushed', `${backend.url}/cut`)
  const copy = join(work, 'pushing')
  await git(work, 'clone', '-q', host.remote('pushed'), copy)
  await git(copy, 'commit', '-q', '--allow-empty', '-m', 'More')
  await git(copy, 'push', '-q', 'origin', 'main')
  expect(host.refs.get('pushed')?.get('refs/heads/main')).toBe(await git(copy, 'rev-parse', 'main'))
})

test('a remote cannot cut history that is here', async () => {
  await host.create('whole')
  await git(source, 'push', '-q', host.remote('whole'), 'main~3:refs/heads/main')
  const before = await git(source, 'rev-list', 'main~3')
  // The remote names its boundary, of which every commit and parent is here already.
  await git(work, 'clone', '-q', '--bare', '--depth=5', `file://${source}`, 'liar')
  await mirror('whole', `${backend.url}/liar`)
  expect(shallowOf(join(host.root, 'whole'))).toEqual([])
  const copy = join(work, 'from-whole')
  await git(work, 'clone', '-q', '--bare', host.remote('whole'), copy)
  expect((await git(copy, 'rev-list', 'main')).split('\n')).toEqual(
    expect.arrayContaining(before.split('\n')),
  )
})

test('a push cannot make a store shallow', async () => {
  await host.create('strict')
  const copy = join(work, 'shallow-pusher')
  await git(work, 'clone', '-q', '--depth=2', `file://${source}`, copy)
  const pushed = await tryGit(copy, ['push', host.remote('strict'), 'main'])
  expect(pushed.code).not.toBe(0)
  expect(pushed.err).toContain('shallow update not allowed')
  expect(shallowOf(join(host.root, 'strict'))).toEqual([])
  expect(host.refs.get('strict')?.size).toBe(0)
})
