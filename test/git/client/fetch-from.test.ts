import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { FetchResult, FetchProgress, Git, RefSnapshot } from '#git'
import { startBackend, type Backend } from '../support/backend.ts'
import { makeHistory, objectsOf, refsOf } from '../support/history.ts'
import { startHost, type TestHost } from '../support/host.ts'
import { outside } from '../support/outside.ts'
import { discard, git, scratch, tryGit } from '../support/real-git.ts'

let host: TestHost
let work: string
let source: string
const backends: Backend[] = []
const backend = (options: Parameters<typeof startBackend>[1] = {}): Backend => {
  const made = startBackend(work, options)
  backends.push(made)
  return made
}

beforeAll(async () => {
  work = scratch()
  source = await makeHistory(work, 'source', { seed: 11, commits: 120 })
  host = await startHost()
})

afterAll(async () => {
  for (const one of backends) await one.close()
  await host.close()
  discard(work)
})

const PREFIXES = ['refs/heads/', 'refs/tags/']
const snapshotOf = (fetched: FetchResult): RefSnapshot => ({
  generation: crypto.randomUUID(),
  head: fetched.remote.head ?? 'refs/heads/main',
  refs: fetched.refs,
})
const EMPTY: RefSnapshot = { generation: 'nothing', head: 'refs/heads/main', refs: [] }

/** Fetches into a store of its own and writes it out for git to look at. */
async function bring(engine: Git, store: string, url: string, local: RefSnapshot = EMPTY) {
  const progress: FetchProgress[] = []
  const fetched = await engine.fetchFrom(store, outside(), {
    url,
    local,
    prefixes: PREFIXES,
    onProgress: (one) => progress.push(one),
    apply: async () => {},
  })
  return { fetched, progress, snapshot: snapshotOf(fetched) }
}

async function written(store: string, snapshot: RefSnapshot): Promise<string> {
  const path = join(work, `out-${crypto.randomUUID()}`)
  await host.git.exportBare(store, snapshot, path)
  return path
}

const packsOf = (store: string): string[] => readdirSync(join(host.root, store, 'objects', 'pack'))

describe('a whole repository', () => {
  for (const protocol of [0, 1, 2] as const) {
    test(`comes over protocol ${protocol} of git's own server`, async () => {
      const server = backend({ protocol })
      const store = `whole-${protocol}`
      await host.git.createStore(store)
      const { fetched, progress, snapshot } = await bring(host.git, store, `${server.url}/source`)
      expect(fetched.remote).toMatchObject({ protocol, head: 'refs/heads/main', malformed: 0 })
      expect(fetched.unscanned).toBe(false)
      const copy = await written(store, snapshot)
      expect(await refsOf(copy)).toEqual(await refsOf(source))
      expect(await objectsOf(copy)).toEqual(await objectsOf(source))
      expect((await tryGit(copy, ['fsck', '--strict'])).code).toBe(0)
      const last = progress.filter((one) => one.kind === 'receiving').at(-1)
      expect(last).toMatchObject({ objects: fetched.objects, total: fetched.objects })
      expect(
        progress.some((one) => one.kind === 'remote' && one.text.startsWith('Enumerating objects')),
      ).toBe(true)
      expect(
        await host.git.verify(
          store,
          snapshot.refs.map(({ oid }) => oid),
        ),
      ).toEqual([])
    })
  }

  test('an empty one gives no refs, and says which branch will be the first', async () => {
    await git(work, 'init', '-q', '--bare', '-b', 'trunk', 'empty')
    await host.git.createStore('empty')
    const { fetched } = await bring(host.git, 'empty', `${backend().url}/empty`)
    expect(fetched.refs).toEqual([])
    expect(fetched.remote.head).toBe('refs/heads/trunk')
    const old = await bring(host.git, 'empty', `${backend({ protocol: 0 }).url}/empty`)
    expect(old.fetched.refs).toEqual([])
  })

  test('branches and tags alone are taken, however much else the remote shows', async () => {
    await git(work, 'clone', '-q', '--mirror', source, 'extra')
    await git(join(work, 'extra'), 'update-ref', 'refs/pull/1/head', 'main~3')
    for (const protocol of [0, 2] as const) {
      await host.git.createStore(`extra-${protocol}`)
      const { fetched } = await bring(
        host.git,
        `extra-${protocol}`,
        `${backend({ protocol }).url}/extra`,
      )
      expect(fetched.refs.some(({ name }) => name.startsWith('refs/pull'))).toBe(false)
      expect(fetched.refs.length).toBe((await refsOf(source)).size)
    }
  })

  test('ten thousand refs', async () => {
    await git(work, 'clone', '-q', '--mirror', source, 'many')
    const oid = await git(source, 'rev-parse', 'main~5')
    const lines = Array.from(
      { length: 10_000 },
      (_, i) => `create refs/heads/b/${i} ${oid}\n`,
    ).join('')
    expect(
      (await tryGit(join(work, 'many'), ['update-ref', '--stdin'], { input: lines })).code,
    ).toBe(0)
    for (const protocol of [0, 2] as const) {
      await host.git.createStore(`many-${protocol}`)
      const { fetched } = await bring(
        host.git,
        `many-${protocol}`,
        `${backend({ protocol }).url}/many`,
      )
      expect(fetched.refs.length).toBe(10_000 + (await refsOf(source)).size)
      expect(fetched.refused).toEqual([])
    }
    const [trunk = ''] = fetched0(
      await host.git.listRemote(outside(), {
        url: `${backend().url}/many`,
        prefixes: ['refs/heads/main'],
      }),
    )
    const facts = await host.git.summarizeRefMoves(
      'many-2',
      [
        { name: 'refs/heads/b/1', old: null, new: oid },
        { name: 'refs/heads/main', old: oid, new: trunk },
        { name: 'refs/heads/x', old: trunk, new: oid },
      ],
      trunk,
    )
    const ahead = Number(await git(source, 'rev-list', '--count', `${oid}..main`))
    expect(facts).toEqual([
      { type: 'commit', peeled: null, commits: 0, forced: false },
      { type: 'commit', peeled: null, commits: ahead, forced: false },
      { type: 'commit', peeled: null, commits: 0, forced: true },
    ])
  })
})

const fetched0 = (remote: { refs: readonly { oid: string }[] }): string[] =>
  remote.refs.map(({ oid }) => oid)

describe('what was there before', () => {
  for (const protocol of [0, 2] as const) {
    test(`is not sent again over protocol ${protocol}`, async () => {
      const name = `grows-${protocol}`
      await git(work, 'clone', '-q', '--mirror', source, name)
      const path = join(work, name)
      await git(path, 'update-ref', 'refs/heads/main', 'main~10')
      const server = backend({ protocol })
      await host.git.createStore(name)
      const first = await bring(host.git, name, `${server.url}/${name}`)
      const nothing = await bring(host.git, name, `${server.url}/${name}`, first.snapshot)
      expect(nothing.fetched.bytes).toBe(0)
      await git(path, 'update-ref', 'refs/heads/main', await git(source, 'rev-parse', 'main'))
      const second = await bring(host.git, name, `${server.url}/${name}`, first.snapshot)
      expect(second.fetched.objects).toBeGreaterThan(0)
      expect(second.fetched.objects).toBeLessThan(first.fetched.objects / 2)
      const copy = await written(name, second.snapshot)
      expect(await objectsOf(copy)).toEqual(await objectsOf(source))
      expect((await tryGit(copy, ['fsck', '--strict'])).code).toBe(0)
    })
  }

  test('histories that went apart are joined', async () => {
    await git(work, 'clone', '-q', '--mirror', source, 'apart')
    await host.git.createStore('apart')
    const server = backend()
    const first = await bring(host.git, 'apart', `${server.url}/apart`)
    // A commit that only this side has, on top of what both have.
    const signature = { name: 'Ada', email: 'ada@example.org', time: 1_700_000_000, zone: '+0000' }
    const main = first.snapshot.refs.find(({ name }) => name === 'refs/heads/main')
    const made = await host.git.commitFiles('apart', {
      parent: main?.oid ?? null,
      changes: [{ action: 'put', path: 'own.txt', data: Buffer.from('own\n') }],
      message: 'own',
      author: signature,
      committer: signature,
    })
    const copy = join(work, 'apart-tree')
    await git(work, 'clone', '-q', join(work, 'apart'), copy)
    await Bun.write(join(copy, 'theirs.txt'), 'theirs\n')
    await git(copy, 'add', '.')
    await git(copy, 'commit', '-qm', 'theirs')
    await git(copy, 'push', '-q', 'origin', 'HEAD:main')
    const local: RefSnapshot = {
      generation: 'apart',
      head: 'refs/heads/main',
      refs: [{ name: 'refs/heads/main', oid: made.commit, peeled: null }],
    }
    const { fetched } = await bring(host.git, 'apart', `${server.url}/apart`, local)
    // Tags and the side branch are not reached by the one local ref, but what main brings is.
    const fresh = await host.git.summarizeRefMoves(
      'apart',
      [{ name: 'refs/heads/main', old: made.commit, new: await git(copy, 'rev-parse', 'HEAD') }],
      null,
    )
    expect(fresh).toEqual([{ type: 'commit', peeled: null, commits: 1, forced: true }])
    expect(fetched.refused).toEqual([])
  })

  test('a fork does not count what only another fork of its store has', async () => {
    await host.git.createStore('shared')
    const server = backend()
    const first = await bring(host.git, 'shared', `${server.url}/source`)
    const again = await bring(host.git, 'shared', `${server.url}/source`)
    expect(again.fetched.objects).toBe(first.fetched.objects)
  })

  test('what a stopped fetch brought is used when the store has no other owner', async () => {
    await host.git.createStore('stopped')
    const server = backend()
    const url = `${server.url}/source`
    const options = { url, local: EMPTY, prefixes: PREFIXES, ownStore: true }
    const boom = host.git.fetchFrom('stopped', outside(), {
      ...options,
      apply: async () => {
        throw new Error('the process died here')
      },
    })
    await expect(boom).rejects.toThrow('the process died here')
    const packs = packsOf('stopped')
    const fetched = await host.git.fetchFrom('stopped', outside(), {
      ...options,
      apply: async () => {},
    })
    expect(fetched.bytes).toBe(0)
    // Nobody knows whether the process that died had it looked at.
    expect(fetched.unscanned).toBe(true)
    expect(fetched.refs.length).toBe((await refsOf(source)).size)
    expect(packsOf('stopped')).toEqual(packs)
    expect(server.asked.filter((line) => line.startsWith('POST')).length).toBe(3)
  })

  test('what the host does not want is taken away', async () => {
    await host.git.createStore('unwanted')
    await host.git.fetchFrom('unwanted', outside(), {
      url: `${backend().url}/source`,
      local: EMPTY,
      apply: async () => false,
    })
    expect(packsOf('unwanted')).toEqual([])
  })
})

test('large files arrive whole', async () => {
  const path = join(work, 'big')
  await git(work, 'init', '-q', 'big')
  const noise = new Uint8Array(24 << 20)
  for (let at = 0; at < noise.length; at += 65536)
    crypto.getRandomValues(noise.subarray(at, at + 65536))
  await Bun.write(join(path, 'noise.bin'), noise)
  await Bun.write(join(path, 'zeros.bin'), new Uint8Array(60 << 20))
  await git(path, 'add', '.')
  await git(path, 'commit', '-qm', 'big')
  await host.git.createStore('big')
  const { fetched, snapshot } = await bring(host.git, 'big', `${backend().url}/big/.git`)
  expect(fetched.bytes).toBeGreaterThan(24 << 20)
  expect(fetched.unscanned).toBe(true)
  expect(
    await host.git.verify(
      'big',
      snapshot.refs.map(({ oid }) => oid),
    ),
  ).toEqual([])
}, 120_000)

test('a pack over the limit is refused, and nothing of it stays', async () => {
  const small = await startHost({ maxPackBytes: 10_000 })
  try {
    await small.git.createStore('one')
    const tried = small.git.fetchFrom('one', outside(), {
      url: `${backend().url}/source`,
      local: EMPTY,
      apply: async () => {},
    })
    await expect(tried).rejects.toThrow('larger than 10000 bytes')
    expect(readdirSync(join(small.root, 'one', 'objects', 'pack'))).toEqual([])
    expect(readdirSync(join(small.root, '..', 'tmp', 'git'))).toEqual([])
  } finally {
    await small.close()
  }
})

test('giving up leaves nothing', async () => {
  await host.git.createStore('given-up')
  const stop = new AbortController()
  const tried = host.git.fetchFrom('given-up', outside(), {
    url: `${backend().url}/source`,
    local: EMPTY,
    signal: stop.signal,
    apply: async () => {},
    onProgress: ({ kind }) => kind === 'receiving' && stop.abort(),
  })
  await expect(tried).rejects.toMatchObject({ code: 'aborted' })
  expect(packsOf('given-up')).toEqual([])
})

test('a shallow remote brings what it has', async () => {
  await git(work, 'clone', '-q', '--bare', '--depth=3', `file://${source}`, 'shallow')
  for (const protocol of [0, 2] as const) {
    await host.git.createStore(`shallow-${protocol}`)
    const url = `${backend({ protocol }).url}/shallow`
    const { snapshot } = await bring(host.git, `shallow-${protocol}`, url)
    const copy = await written(`shallow-${protocol}`, snapshot)
    expect(await objectsOf(copy)).toEqual(await objectsOf(join(work, 'shallow')))
    expect(await git(copy, 'rev-parse', '--is-shallow-repository')).toBe('true')
  }
})

test('what is no repository says so', async () => {
  await host.git.createStore('none')
  await expect(bring(host.git, 'none', `${backend().url}/nowhere`)).rejects.toMatchObject({
    status: 404,
  })
  await expect(
    bring(host.git, 'none', `${backend({ authorization: 'Basic nobody' }).url}/source`),
  ).rejects.toThrow('private or does not exist')
  expect(existsSync(join(host.root, 'none'))).toBe(true)
})
