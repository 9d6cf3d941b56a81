import { afterAll, expect, test } from 'bun:test'
import { Database } from 'bun:sqlite'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { anonymous } from '#core/caller.ts'
import { findBlame } from '#features/repos/blame/find-blame.ts'
import { HistoryCache, historyCache } from '#features/repos/store/history-cache.ts'
import { listFolder } from '#features/repos/files/list-folder.ts'
import { MAINTAIN_DELAY_MS } from '#features/repos/maintenance/maintain-store.ts'
import { purgeRepo } from '#features/repos/lifecycle/purge-repo.ts'
import { deleteRepo } from '#features/repos/lifecycle/delete-repo.ts'
import { PRECOMPUTE_DELAY_MS } from '#features/repos/blame/precompute-history.ts'
import { refusal } from '../../../world.ts'
import { makeCode, repo } from '../code.ts'

const scratch = mkdtempSync(join(tmpdir(), 'kept-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))
const place = () => join(scratch, `${readdirSync(scratch).length}.db`)
const fault = (error: unknown) => {
  throw error
}
const oid = (n: number) => n.toString(16).padStart(40, '0')

test('answers are kept over a restart, by store, path and commit, and of one path the latest', () => {
  const path = place()
  const first = new HistoryCache(path, fault)
  for (let n = 1; n <= 5; n++) first.put('folder', 's1', 'src', oid(n), { n })
  first.put('blame', 's1', 'src', oid(5), { other: true })
  first.put('folder', 's2', 'src', oid(5), { second: true })
  first.close()
  const kept = new HistoryCache(path, fault)
  expect([1, 2, 3, 4, 5].map((n) => kept.find('folder', 's1', 'src', oid(n)))).toEqual([
    null,
    null,
    { n: 3 },
    { n: 4 },
    { n: 5 },
  ])
  expect(kept.listOthers('folder', 's1', 'src').map(({ commit }) => commit)).toEqual([
    oid(5),
    oid(4),
    oid(3),
  ])
  expect([
    kept.find('blame', 's1', 'src', oid(5)),
    kept.find('folder', 's2', 'src', oid(5)),
    kept.find('folder', 's1', 'lib', oid(5)),
  ]).toEqual([{ other: true }, { second: true }, null])
  kept.forget('s1')
  expect([
    kept.listPaths('folder', 's1'),
    kept.latest('blame', 's1', 'src'),
    kept.latest('folder', 's2', 'src'),
  ]).toEqual([[], null, oid(5)])
  kept.close()
  expect(kept.find('folder', 's2', 'src', oid(5))).toBeNull()
})

test('the file stays within its bound: the oldest go, and what is larger than a part of it never comes', () => {
  const kept = new HistoryCache(place(), fault, 64 * 1024)
  const noise = (n: number) =>
    Buffer.from(crypto.getRandomValues(new Uint8Array(n))).toString('base64')
  kept.put('blame', 's', 'huge', oid(1), noise(64 * 1024))
  expect(kept.has('blame', 's', 'huge', oid(1))).toBe(false)
  for (let n = 0; n < 300; n++) kept.put('blame', 's', `file${n}`, oid(1), noise(1000))
  const left = kept.listPaths('blame', 's')
  expect(left.length).toBeLessThan(80)
  expect([left.includes('file299'), left.includes('file0')]).toEqual([true, false])
  kept.close()
})

test('a damaged file, or one of another format, is made anew; one that cannot be made is done without', () => {
  const damaged = place()
  writeFileSync(damaged, 'this is no database')
  const other = place()
  const db = new Database(other)
  db.run('PRAGMA user_version = 999')
  db.close()
  for (const path of [damaged, other]) {
    const kept = new HistoryCache(path, fault)
    expect(kept.find('folder', 's', '', oid(1))).toBeNull()
    kept.put('folder', 's', '', oid(1), [1])
    expect(kept.find('folder', 's', '', oid(1))).toEqual([1])
    kept.close()
  }
  const said: unknown[] = []
  const kept = new HistoryCache(
    join(scratch, 'nowhere', 'cache.db'),
    (error) => void said.push(error),
  )
  kept.put('folder', 's', '', oid(1), [1])
  expect([kept.find('folder', 's', '', oid(1)), said.length]).toEqual([null, 1])
})

test('after a push it is found out ahead, and what is read ahead is right', async () => {
  const made = await makeCode()
  const { world, two } = made
  const { store } = made.row()
  const kept = historyCache(world.hearth)
  world.clock.advance(PRECOMPUTE_DELAY_MS)
  await world.jobs()
  expect(kept.listPaths('folder', store).sort()).toEqual(['', 'docs'])
  expect(kept.listPaths('blame', store).sort()).toEqual(['a.ts', 'docs/guide.md'])
  expect(kept.has('folder', store, '', two)).toBe(true)

  const three = await world.commit(
    repo,
    'main',
    { 'docs/guide.md': 'changed\n', 'new/b.ts': 'b\n' },
    { message: 'Three' },
  )
  world.clock.advance(PRECOMPUTE_DELAY_MS)
  await world.jobs()
  // What the push touched is there; a folder that nobody has asked for waits until somebody does.
  expect([
    kept.has('folder', store, '', three),
    kept.has('folder', store, 'docs', three),
    kept.has('blame', store, 'docs/guide.md', three),
    kept.has('folder', store, 'new', three),
  ]).toEqual([true, true, true, false])
  const { items, late } = await world.call(listFolder, anonymous, {
    repo,
    ref: 'main',
    most: 10,
    wait_ms: 0,
  })
  expect([
    late,
    Object.fromEntries(items.map(({ name, last_commit }) => [name, last_commit?.sha])),
  ]).toEqual([false, { 'a.ts': two, docs: three, new: three }])
  const lines = await world.call(findBlame, anonymous, {
    repo,
    path: 'docs/guide.md',
    wait_ms: 20_000,
  })
  expect([
    lines.late,
    lines.items.map(({ from_line, to_line, commit }) => [
      from_line,
      to_line,
      commit.sha,
      commit.title,
    ]),
  ]).toEqual([false, [[1, 1, three, 'Three']]])

  world.clock.advance(MAINTAIN_DELAY_MS)
  await world.jobs()
  expect(existsSync(join(world.data, 'cache.db'))).toBe(true)
})

test('lines of a large file are not found ahead, nor of one that has become large', async () => {
  const { world, row } = await makeCode()
  const large = 'a line\n'.repeat(200_000)
  const blamed = () => historyCache(world.hearth).listPaths('blame', row().store).sort()
  await world.commit(repo, 'main', { 'large.txt': large }, { message: 'Large' })
  world.clock.advance(PRECOMPUTE_DELAY_MS)
  await world.jobs()
  expect(blamed()).toEqual(['a.ts', 'docs/guide.md'])
  const grown = await world.commit(repo, 'main', { 'a.ts': large }, { message: 'Grown' })
  world.clock.advance(PRECOMPUTE_DELAY_MS)
  await world.jobs()
  expect([
    historyCache(world.hearth).has('folder', row().store, '', grown),
    historyCache(world.hearth).has('blame', row().store, 'a.ts', grown),
  ]).toEqual([true, false])
  // Whoever asks gets them.
  expect(
    (
      await world.call(findBlame, anonymous, { repo, path: 'large.txt', wait_ms: 20_000 })
    ).items.map(({ to_line }) => to_line),
  ).toEqual([200_000])
})

test('a purged repository is forgotten', async () => {
  const made = await makeCode()
  const { world, ada } = made
  const { store } = made.row()
  await world.call(listFolder, anonymous, { repo, ref: 'main', most: 10, wait_ms: 20_000 })
  expect(historyCache(world.hearth).listPaths('folder', store)).toEqual([''])
  await world.call(deleteRepo, ada, { repo, confirm: repo })
  await world.call(purgeRepo, ada, { repo, confirm: repo })
  await world.jobs()
  expect(historyCache(world.hearth).listPaths('folder', store)).toEqual([])
  expect(
    (await refusal(world.call(listFolder, anonymous, { repo, ref: 'main', most: 10, wait_ms: 0 })))
      .status,
  ).toBe(404)
})
