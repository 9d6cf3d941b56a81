import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { MIN_SHARED_OBJECTS } from '../../../src/git/pack/entry-table.ts'
import { random } from '../support/history.ts'
import { startHost, type TestHost } from '../support/host.ts'
import { commitText, idOf, makePack, treeBytes, varint, type MadeEntry } from '../support/packs.ts'
import { rawPush } from '../support/raw.ts'
import { discard, git, scratch, tryGit } from '../support/real-git.ts'

const MB = 1_000_000
let work: string
let host: TestHost
/** A repository whose pack has chains of large deltas. */
let source: string

beforeAll(async () => {
  work = scratch()
  host = await startHost({ workers: 2 })
  source = await makeLargeHistory('large')
}, 240_000)

afterAll(async () => {
  await host.close()
  discard(work)
})

/** Versions of a file of 6 MB that differ in a few places, and one that is short. */
async function makeLargeHistory(name: string): Promise<string> {
  const source = join(work, name)
  await git(work, 'init', '-q', source)
  const next = random(7)
  const data = Buffer.from(Uint8Array.from({ length: 6 * MB }, () => next() * 256))
  for (let version = 0; version < 8; version++) {
    for (let i = 0; i < 20; i++) data[Math.floor(next() * data.length)] = version
    const content = version === 5 ? data.subarray(1000, 9000) : data
    await Bun.write(join(source, 'large.bin'), Buffer.concat([content, Buffer.alloc(version, 'x')]))
    await git(source, 'add', '.')
    await git(source, 'commit', '-qm', `version ${version}`)
  }
  await git(source, 'repack', '-adfq', '--depth=50', '--window=20')
  return source
}

test('a pack with chains of large deltas is indexed as git indexes it', async () => {
  const deltas = await git(
    source,
    'cat-file',
    '--batch-all-objects',
    '--batch-check=%(objectsize) %(deltabase)',
  ) // prettier-ignore
  const large = deltas.split('\n').filter((line) => /^6\d{6} (?!0{40})/.test(line))
  expect(large.length).toBeGreaterThanOrEqual(5)
  for (const offsets of ['true', 'false']) {
    const name = `chains-${offsets}`
    await host.create(name)
    await git(source, '-c', `repack.usedeltabaseoffset=${offsets}`, 'repack', '-adq')
    await git(source, 'push', '-q', host.remote(name), 'main')
    const directory = join(host.root, name, 'objects', 'pack')
    const pack = readdirSync(directory).find((file) => file.endsWith('.pack'))!
    await git(work, 'index-pack', '-o', join(work, `${name}.idx`), join(directory, pack))
    const ours = await Bun.file(join(directory, pack.replace(/pack$/, 'idx'))).bytes()
    const theirs = await Bun.file(join(work, `${name}.idx`)).bytes()
    expect(Buffer.compare(ours, theirs)).toBe(0)
  }
}, 240_000)

test('a thin pack on a large blob is completed, and a repeated one is compared', async () => {
  await host.create('thin')
  await git(source, 'push', '-q', host.remote('thin'), 'main~1:refs/heads/main')
  await git(source, 'push', '-q', '--thin', host.remote('thin'), 'main')
  const tips = [...host.refs.get('thin')!.values()]
  expect(await host.git.verify('thin', tips)).toEqual([])
  // The same objects once more, in another pack.
  await git(source, 'repack', '-adfq', '--depth=1')
  const pack = readdirSync(join(source, '.git/objects/pack')).find((file) => file.endsWith('.pack'))
  const bytes = await Bun.file(join(source, '.git/objects/pack', pack ?? '')).bytes()
  const answer = await rawPush(host, 'thin', [[null, tips[0] ?? '', 'refs/heads/again']], bytes)
  expect([answer.unpack, answer.refs.get('refs/heads/again')]).toEqual(['ok', 'ok'])
}, 240_000)

/** A pack of a few kilobytes: one blob of 16 MB, and deltas that repeat it to 201 MB. */
function makeBomb(deltas: number): { pack: Buffer; oid: string } {
  const base = Buffer.alloc(16 * MB)
  const oid = idOf('blob', base)
  const size = 201 * MB
  const entries: MadeEntry[] = [{ type: 'blob', data: base }]
  for (let i = 0; i < deltas; i++) {
    const parts = [varint(base.length), varint(size), Buffer.from([1, i])]
    for (let left = size - 1; left > 0; ) {
      const length = Math.min(left, base.length)
      parts.push(Buffer.from([0xf0, length & 255, (length >> 8) & 255, (length >> 16) & 255]))
      left -= length
    }
    entries.push({ base: oid, delta: Buffer.concat(parts) })
  }
  return { pack: makePack(entries), oid }
}

test('six packs that expand stay within the memory budget, and reads go on', async () => {
  const tree = treeBytes()
  const commit = commitText(idOf('tree', tree))
  const tip = idOf('commit', commit)
  await host.create('small')
  const small = makePack([
    { type: 'tree', data: tree },
    { type: 'commit', data: commit },
  ])
  await rawPush(host, 'small', [[null, tip, 'refs/heads/x']], small)
  const { pack, oid } = makeBomb(21)
  const names = Array.from({ length: 6 }, (_, i) => `bomb-${i}`)
  for (const name of names) await host.create(name)
  Bun.gc(true)
  const before = process.memoryUsage.rss()
  let peak = before
  let longestReadMs = 0
  let isOver = false
  const reading = (async () => {
    while (!isOver) {
      const start = performance.now()
      await host.git.log('small', { tips: [tip], limit: 1 })
      longestReadMs = Math.max(longestReadMs, performance.now() - start)
      peak = Math.max(peak, process.memoryUsage.rss())
      await Bun.sleep(5)
    }
  })()
  const startedMs = performance.now()
  const answers = await Promise.all(
    names.map((name) => rawPush(host, name, [[null, oid, 'refs/tags/x']], pack)),
  )
  const pushesMs = performance.now() - startedMs
  isOver = true
  await reading
  for (const { unpack } of answers) expect(unpack).toBe('the pack expands to too many bytes')
  expect((peak - before) / 2 ** 20).toBeLessThan(256 + 64)
  // Reads that waited for a push to end took more than half of all; a ratio holds on a busy machine.
  expect(longestReadMs).toBeLessThan(pushesMs / 4)
}, 240_000)

test('a pack that expands less is accepted', async () => {
  const { pack, oid } = makeBomb(3)
  await host.create('lesser')
  const answer = await rawPush(host, 'lesser', [[null, oid, 'refs/tags/x']], pack)
  expect([answer.unpack, answer.refs.get('refs/tags/x')]).toEqual(['ok', 'ok'])
}, 240_000)

test('versions of a directory with 250,000 entries are pushed with little memory', async () => {
  const path = join(work, 'wide.git')
  await git(work, 'init', '-q', '--bare', '-b', 'main', path)
  const blobs = Array.from({ length: MIN_SHARED_OBJECTS }, (_, at) => `${at}\n`)
  const input = blobs.map((text) => `blob\ndata ${text.length}\n${text}\n`).join('')
  await tryGit(path, ['fast-import', '--quiet'], { input })
  const oids = blobs.map((text) => idOf('blob', Buffer.from(text)))
  const entries = Array.from(
    { length: 250_000 },
    (_, at) => `100644 blob ${oids[at % oids.length]}\tfile-${String(at).padStart(6, '0')}.txt`,
  )
  let parent: string[] = []
  for (const changed of [7, 200_000]) {
    entries[changed] = `100644 blob ${oids[0]}\tfile-${String(changed).padStart(6, '0')}.txt`
    const tree = await tryGit(path, ['mktree'], { input: `${entries.join('\n')}\n` })
    const commit = await git(path, 'commit-tree', tree.out.trim(), ...parent, '-m', 'A version')
    parent = ['-p', commit]
  }
  await git(path, 'update-ref', 'refs/heads/main', parent[1] ?? '')
  await git(path, 'repack', '-adfq')
  const small = await startHost({ workers: 2, memoryBudget: 64 << 20 })
  try {
    await small.create('wide')
    await git(path, 'push', '-q', small.remote('wide'), 'main')
    const tips = await git(work, 'ls-remote', small.remote('wide'), 'refs/heads/main')
    expect(tips.slice(0, 40)).toBe(parent[1] ?? '')
  } finally {
    await small.close()
  }
})
