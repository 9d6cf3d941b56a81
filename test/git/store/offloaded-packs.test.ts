import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createGit,
  snapshotStore,
  listOffloadedPacks,
  missingFromIndexes,
  listLocalPacks,
  writeOffloadNote,
  type RemotePacks,
  type Git,
} from '#git'

const root = mkdtempSync(join(tmpdir(), 'hearth-offloaded-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
const author = { name: 'Ada', email: 'ada@example.com', time: 1_700_000_000, zone: '+0000' }
let made = 0

/** Creates an engine with one store of one pack, for a host with the given callbacks. */
async function engine(remotePacks?: RemotePacks) {
  const base = join(root, String(++made))
  const options = {
    root: join(base, 'objects'),
    tmp: join(base, 'tmp'),
    workers: 1,
    ...(remotePacks ? { remotePacks } : {}),
  }
  const git = createGit(options)
  await git.createStore('store')
  const { commit } = await git.commitFiles('store', {
    parent: null,
    changes: [{ action: 'put', path: 'a.txt', data: Buffer.from('a\n') }],
    message: 'One',
    author,
    committer: author,
  })
  const directory = join(base, 'objects', 'store')
  const packs = join(directory, 'objects', 'pack')
  const name = listLocalPacks(directory)?.packs[0]?.name ?? ''
  const offload = (): void => {
    writeOffloadNote(directory, {
      name,
      size: listLocalPacks(directory)?.packs[0]?.size ?? 0,
      sha256: 'a'.repeat(64),
      modified_ms: 1_700_000_000_000,
    })
    renameSync(join(packs, `${name}.pack`), join(base, 'remote'))
    git.closeFiles('store')
  }
  const restore = (): void => renameSync(join(base, 'remote'), join(packs, `${name}.pack`))
  return { git, options, commit, directory, packs, name, offload, restore, base }
}

test('an offloaded pack keeps its index after a start, counts by size, and stays known', async () => {
  const { git, options, commit, directory, packs, name, offload, restore } = await engine()
  const size = await git.sizeOf('store')
  offload()
  await git.close()
  writeFileSync(join(packs, 'pack-0000000000000000000000000000000000000000.idx'), 'half')
  writeFileSync(join(packs, 'pack-1111111111111111111111111111111111111111.away'), '1 x 1')
  const again: Git = createGit(options)
  expect(
    readdirSync(packs)
      .map((file) => file.slice(0, 45))
      .every((file) => file.startsWith(name.slice(0, 20))),
  ).toBe(true)
  expect(listOffloadedPacks(directory).map((pack) => pack.name)).toEqual([name])
  expect(await again.sizeOf('store')).toBe(size)
  expect(missingFromIndexes(directory, [commit, '1'.repeat(40)])).toEqual(['1'.repeat(40)])
  restore()
  expect(listOffloadedPacks(directory)).toEqual([])
  expect(await again.sizeOf('store')).toBe(size)
  expect(await again.readCommit('store', commit)).not.toBeNull()
  await again.close()
})

test('a snapshot contains the notes of offloaded packs', async () => {
  const { git, directory, offload, name, base } = await engine()
  offload()
  expect(snapshotStore(directory, join(base, 'held'))).toBe(true)
  expect(listOffloadedPacks(join(base, 'held')).map((pack) => pack.name)).toEqual([name])
  await git.close()
})

test('all work on a store waits for its packs and pins the store until it ends', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let isOffloaded = false
  const pinned: string[] = []
  const host: RemotePacks = {
    restoreStore: () => (isOffloaded ? promise : null),
    beginUse: (store) => {
      pinned.push(store)
      return () => void pinned.pop()
    },
  }
  const { git, commit, offload, restore } = await engine(host)
  expect(pinned).toEqual([])
  offload()
  isOffloaded = true
  const refs = {
    generation: '1',
    head: 'refs/heads/main',
    refs: [{ name: 'refs/heads/main', oid: commit, peeled: null }],
  }
  const pkt = (text: string): string => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`
  const want = Buffer.from(
    `${pkt('command=fetch\n')}0001${pkt('no-progress\n')}${pkt(`want ${commit}\n`)}${pkt('done\n')}0000`,
  )
  expect(git.uploadPackSync('store', refs, { protocol: 2, body: want })).toBeNull()
  const all = Promise.all([
    git.readCommit('store', commit),
    git.listTree('store', commit, ''),
    git.verify('store', [commit]),
    git.uploadPackOrFile('store', refs, { protocol: 2, body: want }),
    git
      .archive('store', commit, { format: 'tar', prefix: 'x/' })
      .then((archive) => new Response(archive as BodyInit).bytes()),
  ])
  let over = false
  void all.then(() => (over = true))
  await new Promise((wake) => setImmediate(wake))
  expect([over, pinned.length > 0, git.ensureLocal('store') === promise]).toEqual([
    false,
    true,
    true,
  ])
  restore()
  isOffloaded = false
  resolve()
  const [found, tree, faults, pack, tar] = await all
  expect(git.uploadPackSync('store', refs, { protocol: 2, body: want })).not.toBeInstanceOf(Promise)
  expect([found?.oid, tree?.length, faults]).toEqual([commit, 1, []])
  const answer =
    pack instanceof Uint8Array
      ? pack
      : await (pack instanceof ReadableStream ? new Response(pack) : Bun.file(pack.path)).bytes()
  expect([Buffer.from(answer).includes('PACK'), tar.length > 512]).toEqual([true, true])
  await new Promise((wake) => setImmediate(wake))
  expect(pinned).toEqual([])
  await git.close()
})

test('an error of the host is the error of the work', async () => {
  let isOffloaded = false
  const refusal = new Error('they cannot come')
  const { git, commit } = await engine({
    restoreStore: () => (isOffloaded ? Promise.reject(refusal) : null),
    beginUse: () => () => {},
  })
  isOffloaded = true
  expect(await git.readCommit('store', commit).catch((error: unknown) => error)).toBe(refusal)
  const stream = git.uploadPack(
    'store',
    { generation: '1', head: 'refs/heads/main', refs: [] },
    { protocol: 2, body: new Uint8Array(0) },
  )
  expect(await new Response(stream).text().catch(String)).toBe('Error: they cannot come')
  isOffloaded = false
  await git.close()
})
