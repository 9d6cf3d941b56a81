import { afterAll, beforeAll, expect, test } from 'bun:test'
import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createGit, type Git, type Oid } from '#git'
import { startHost, type TestHost } from '../support/host.ts'
import { expectSound } from '../support/sound.ts'
import { discard, git, scratch } from '../support/real-git.ts'

let host: TestHost
let work: string
let tip: Oid

/**
 * A store with every file that a pack can have: a reverse index, a bitmap, a commit-graph and a
 * cruft pack.
 */
beforeAll(async () => {
  work = scratch()
  host = await startHost()
  await host.create('one')
  const source = join(work, 'source')
  const files = Array.from(
    { length: 10_500 },
    (_, at) => `blob\nmark :${at + 1}\ndata ${String(at).length}\n${at}\n`,
  ).join('')
  const tree = Array.from(
    { length: 10_500 },
    (_, at) => `M 100644 :${at + 1} d${at % 100}/${at}\n`,
  ).join('')
  const who = 'committer Ada <ada@example.org> 1700000000 +0000\ndata 2\nx\n'
  await git(work, 'init', '-q', source)
  const child = Bun.spawn(['git', '-C', source, 'fast-import', '--quiet'], {
    stdin: Buffer.from(
      `${files}commit refs/heads/main\n${who}${tree}\ncommit refs/heads/main\n${who}D d1\n\ncommit refs/heads/other\n${who}M 100644 :7 b\n\n`,
    ),
  })
  expect(await child.exited).toBe(0)
  await git(source, 'push', '-q', '--all', host.remote('one'))
  tip = await git(source, 'rev-parse', 'main')
  await host.git.maintain('one', [tip], { graceMs: 1_000_000 })
})
afterAll(async () => {
  await host.close()
  discard(work)
})

let copies = 0
/** Copies the store, changes the copy and opens an engine over it. */
async function changed(
  change: (packs: string, store: string) => void,
): Promise<{ root: string; engine: Git; wrong: readonly string[] }> {
  const root = join(work, `copy-${++copies}`)
  cpSync(join(host.root, 'one'), join(root, 'one'), { recursive: true })
  change(join(root, 'one', 'objects', 'pack'), join(root, 'one'))
  const engine = createGit({ root, tmp: join(work, `tmp-${copies}`), workers: 0 })
  return { root, engine, wrong: await engine.verify('one', [tip]) }
}

/** The file with an extension; of the largest pack when there are several. */
const fileOf = (packs: string, ending: string): string =>
  readdirSync(packs)
    .filter((name) => name.endsWith(ending))
    .map((name) => join(packs, name))
    .sort((a, b) => readFileSync(b).length - readFileSync(a).length)[0] ?? ''

function flip(path: string, at: (length: number) => number): void {
  const bytes = readFileSync(path)
  const where = at(bytes.length)
  bytes[where] = (bytes[where] ?? 0) ^ 0x10
  chmodSync(path, 0o644)
  writeFileSync(path, bytes)
}

const BEGINNING = () => 1
const MIDDLE = (length: number) => length >> 1
const END = (length: number) => length - 1

test('an unchanged store has no errors', async () => {
  const { engine, wrong } = await changed(() => {})
  expect(wrong).toEqual([])
  await engine.close()
})

/** Extension, position of the flipped bit, and expected report. */
const AIDS: [string, (length: number) => number, RegExp][] = [BEGINNING, MIDDLE, END].flatMap(
  (at): [string, (length: number) => number, RegExp][] => [
    ['.rev', at, /^pack-\w+: the order is damaged$/],
    ['.bitmap', at, /^pack-\w+: the bitmap is damaged$/],
    ['.mtimes', at, /^pack-\w+: the times are damaged$/],
  ],
)

test.each(AIDS)(
  '%s with a flipped bit is reported and ignored; once deleted, it is rebuilt',
  async (ending, at, said) => {
    const { root, engine, wrong } = await changed((packs) => flip(fileOf(packs, ending), at))
    expect(wrong).toEqual([expect.stringMatching(said)])
    expect((await engine.log('one', { tips: [tip] })).length).toBe(2)
    const path = fileOf(join(root, 'one', 'objects', 'pack'), ending)
    rmSync(path)
    engine.closeFiles('one')
    await engine.maintain('one', [tip], ending === '.mtimes' ? { graceMs: 1_000_000 } : {})
    expect(fileOf(join(root, 'one', 'objects', 'pack'), ending)).not.toBe('')
    expect(await engine.verify('one', [tip])).toEqual([])
    await engine.close()
    await expectSound(root, ['one'])
  },
)

test('a reverse index or bitmap of another pack is reported', async () => {
  for (const ending of ['.rev', '.bitmap']) {
    const { engine, wrong } = await changed((packs) => {
      const other = fileOf(packs, '.mtimes').replace('.mtimes', ending)
      if (other !== fileOf(packs, ending)) cpSync(fileOf(packs, ending), other)
    })
    expect(wrong).toEqual([
      expect.stringContaining(ending === '.rev' ? 'the order is damaged' : 'the bitmap is damaged'),
    ])
    await engine.close()
  }
})

test('a commit-graph that is damaged or of another store is reported', async () => {
  const graph = (store: string) => join(store, 'objects', 'info', 'commit-graph')
  for (const at of [BEGINNING, MIDDLE, END]) {
    const { engine, wrong } = await changed((_, store) => flip(graph(store), at))
    expect(wrong).toEqual(['the commit-graph is damaged'])
    await engine.close()
  }
  await host.git.createStore('two')
  const { commit } = await host.git.commitFiles('two', {
    parent: null,
    changes: [],
    message: 'x',
    author: WHO,
    committer: WHO,
  })
  await host.git.maintain('two', [commit])
  const { engine, wrong } = await changed((_, store) =>
    cpSync(graph(join(host.root, 'two')), graph(store), { force: true }),
  )
  expect(wrong).toEqual(['the commit-graph is damaged'])
  await engine.close()
})
const WHO = { name: 'Eve', email: 'eve@example.org', time: 1_600_000_000, zone: '+0000' }

test.each([BEGINNING, () => 8 + 1024 + 7, MIDDLE, END])(
  'an index with a flipped bit is the only error, and is rebuilt from its pack',
  async (at) => {
    const { root, engine, wrong } = await changed((packs) => flip(fileOf(packs, '.idx'), at))
    expect(wrong).toHaveLength(1)
    const pack =
      /^(pack-\w{40}): (the index is damaged|pack and index do not belong together)$/.exec(
        wrong[0] ?? '',
      )?.[1] ?? ''
    expect(pack).not.toBe('')
    await engine.rebuildIndex('one', pack)
    expect(await engine.verify('one', [tip])).toEqual([])
    expect((await engine.log('one', { tips: [tip] })).length).toBe(2)
    await engine.close()
    await expectSound(root, ['one'])
  },
)

test('no index is rebuilt from a damaged pack', async () => {
  const { root, engine } = await changed((packs) => {
    flip(fileOf(packs, '.idx'), MIDDLE)
    flip(fileOf(packs, '.pack'), MIDDLE)
  })
  const packs = join(root, 'one', 'objects', 'pack')
  const before = readdirSync(packs).sort()
  await expect(
    engine.rebuildIndex('one', fileOf(packs, '.pack').replace(/.*(pack-\w+)\.pack$/, '$1')),
  ).rejects.toMatchObject({ code: 'corrupt' })
  expect(readdirSync(packs).sort()).toEqual(before)
  await engine.close()
})
