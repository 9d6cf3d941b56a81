/** Objects that do not fit into the memory of the engine are served, shown and merged, or refused in words. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { GitError } from '#git'
import { discard, git, scratch } from '../support/real-git.ts'
import { startHost, type TestHost } from '../support/host.ts'

const MIB = 1 << 20
/** The least memory that tasks get is 48 MiB. */
const MEMORY_BUDGET = 32 * MIB
const SIZE = 50 * MIB

let host: TestHost
let work: string
const heads: string[] = []
const oids: Record<string, string> = {}

/** Mostly zeros, which are packed quickly, behind bytes that make its entry larger than a window. */
function makeLarge(): Buffer {
  const large = Buffer.alloc(SIZE)
  for (let at = 0; at < 2 * MIB; at += 65_536)
    large.set(crypto.getRandomValues(new Uint8Array(65_536)), at)
  return large
}

beforeAll(async () => {
  host = await startHost({ memoryBudget: MEMORY_BUDGET, workers: 2 })
  await host.create('s')
  work = scratch()
  await git(work, 'init', '-q', '-b', 'main')
  const large = makeLarge()
  for (const version of [1, 2]) {
    large[1000] = version
    writeFileSync(join(work, 'large.bin'), large)
    writeFileSync(join(work, 'many.txt'), `${version}\n`.repeat(1.5 * MIB))
    writeFileSync(join(work, 'small.txt'), `${version}\n`)
    await git(work, 'add', '.')
    await git(work, 'commit', '-q', '-m', String(version))
    heads.push((await git(work, 'rev-parse', 'HEAD')).trim())
  }
  for (const name of ['large.bin', 'many.txt'])
    oids[name] = (await git(work, 'rev-parse', `HEAD^:${name}`)).trim()
  // The older version becomes a delta of the newer one.
  await git(work, '-c', 'core.bigFileThreshold=1g', 'repack', '-adfq', '--window=2', '--depth=2')
  await git(work, 'push', '-q', host.remote('s'), 'main')
}, 120_000)
afterAll(async () => {
  discard(work)
  await host.close()
})

async function read(sent: Promise<Uint8Array | ReadableStream<Uint8Array>>): Promise<Uint8Array> {
  const bytes = await sent
  return bytes instanceof Uint8Array ? bytes : await new Response(bytes).bytes()
}

const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => (error instanceof GitError ? error.code : error),
  )

test('a blob above the budget is streamed, whole and in part', async () => {
  const { git: engine } = host
  const oid = oids['large.bin'] ?? ''
  const bytes = await read(engine.streamBlob('s', oid, { start: 0, length: SIZE }))
  expect([bytes.length, bytes[1000]]).toEqual([SIZE, 1])
  const part = await read(engine.streamBlob('s', oid, { start: 1000, length: 1 }))
  expect([...part]).toEqual([1])
}, 120_000)

test('the beginning and the size of such a blob are read', async () => {
  const oid = oids['large.bin'] ?? ''
  expect(await host.git.readBlob('s', oid, 0)).toEqual({ size: SIZE, data: new Uint8Array() })
  const start = await host.git.readBlob('s', oid, 2000)
  expect([start?.size, start?.data.length, start?.data[1000]]).toEqual([SIZE, 2000, 1])
  expect(await codeOf(host.git.readBlob('s', oid))).toBe('too_large')
}, 120_000)

test('a change of files that are too large to compare says so, beside the others', async () => {
  const [from = '', to = ''] = heads
  const { files } = await host.git.diff('s', from, to)
  expect(files.map(({ path, reason, additions }) => [path, reason, additions])).toEqual([
    ['large.bin', 'too_large', 0],
    ['many.txt', 'too_large', 0],
    ['small.txt', null, 1],
  ])
}, 120_000)

test('lines of a file with millions of lines are not searched for their authors', async () => {
  expect(await codeOf(host.git.blame('s', heads[0] ?? '', 'many.txt'))).toBe('too_large')
}, 120_000)

test('both versions are cloned, and the older one alone', async () => {
  const to = scratch()
  try {
    await git(to, 'clone', '-q', '--bare', host.remote('s'), 'all.git')
    expect(await git(join(to, 'all.git'), 'fsck', '--strict')).toBe('')
    host.refs.get('s')?.set('refs/heads/old', heads[0] ?? '')
    host.setRefs('s', host.refs.get('s') ?? [])
    // The delta's base is not among what such a clone gets.
    await git(to, 'clone', '-q', '--depth=1', '-b', 'old', host.remote('s'), 'old')
    expect((await git(join(to, 'old'), 'rev-parse', 'HEAD:large.bin')).trim()).toBe(
      oids['large.bin'] ?? '',
    )
    expect(await git(join(to, 'old'), 'status', '--porcelain')).toBe('')
  } finally {
    discard(to)
  }
}, 120_000)

for (const format of ['zip', 'tar'] as const)
  test(`an archive (${format}) has them`, async () => {
    const to = scratch()
    try {
      const options = { format, prefix: 'a' }
      const bytes = await read(host.git.archive('s', heads[0] ?? '', options))
      writeFileSync(join(to, `a.${format}`), bytes)
      const script = `
import sys, zipfile, tarfile, hashlib
path = sys.argv[1]
files = {}
if path.endswith('zip'):
    archive = zipfile.ZipFile(path)
    assert archive.testzip() is None
    files = {name: archive.read(name) for name in archive.namelist() if not name.endswith('/')}
else:
    archive = tarfile.open(path)
    files = {item.name: archive.extractfile(item).read() for item in archive if item.isfile()}
for name, data in sorted(files.items()):
    print(name, hashlib.sha1(b'blob %d\\0' % len(data) + data).hexdigest())
`
      const child = Bun.spawn(['python3', '-c', script, join(to, `a.${format}`)])
      const lines = (await new Response(child.stdout).text()).split('\n')
      expect(lines).toContain(`a/large.bin ${oids['large.bin']}`)
      expect(lines).toContain(`a/many.txt ${oids['many.txt']}`)
    } finally {
      discard(to)
    }
  }, 120_000)

test('a verification reads them and finds no fault', async () => {
  const tips = [...(host.refs.get('s')?.values() ?? [])]
  expect(await host.git.verify('s', tips)).toEqual([])
}, 120_000)
