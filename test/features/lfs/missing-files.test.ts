/** Pushes whose pointers name files that are not here. */
import { expect, test } from 'bun:test'
import type { Oid } from '#git'
import { push } from '#features/repos/push/push.ts'
import { repoByPath } from '#features/repos/index.ts'
import { findObject, setUnusedSince } from '#features/lfs/store-objects.ts'
import { makeLfsWorld, oidOf, pointerOf, REPO } from './fixture.ts'

async function makePushes() {
  const all = await makeLfsWorld()
  const { world, otto } = all
  const row = repoByPath(world.hearth.db, REPO)
  if (!row) throw new TypeError('the repository is there')
  const base = await world.commit(REPO, 'main', { 'README.md': 'hello\n' })
  /** A commit on top of another, not yet on any branch. */
  const commit = async (files: Record<string, string>, parent: Oid = base): Promise<Oid> => {
    const author = { name: 'otto', email: 'otto@example.com', time: 1_700_000_000, zone: '+0000' }
    const made = await world.hearth.git.commitFiles(row.store, {
      parent,
      changes: Object.entries(files).map(([path, text]) => ({
        action: 'put' as const,
        path,
        data: new TextEncoder().encode(text),
      })),
      message: 'Change',
      author,
      committer: author,
    })
    return made.commit
  }
  const send = async (tips: Record<string, Oid>) => {
    const updates = Object.entries(tips).map(([name, oid]) => ({
      name: `refs/heads/${name}`,
      old: null,
      new: oid,
    }))
    const { results } = await world.call(push, otto, { repo: REPO, updates, options: [] })
    return results.map(({ refused }) => refused)
  }
  return { ...all, row, commit, send }
}

test('a push is refused by the names of its missing files, and taken once they are here', async () => {
  const { commit, send, store } = await makePushes()
  const tip = await commit({ 'art/a.psd': pointerOf('cat'), 'b.psd': pointerOf('dog') })
  await store('dog')
  const [refused] = await send({ one: tip })
  expect(refused).toContain('1 large file of this push is missing here')
  expect(refused).toContain(`art/a.psd (${oidOf('cat').slice(0, 12)})`)
  expect(refused).toContain('git lfs push --all')
  expect(refused).not.toContain('b.psd')
  await store('cat')
  expect(await send({ one: tip })).toEqual([null])
})

test('only the ref that needs a missing file is refused', async () => {
  const { commit, send } = await makePushes()
  const good = await commit({ 'c.txt': 'text\n' })
  const bad = await commit({ 'a.psd': pointerOf('cat') })
  const [first, second] = await send({ good, bad })
  expect(first).toBeNull()
  expect(second).toContain('a.psd')
})

test('a pointer that git would not replace is a text like any other', async () => {
  const { commit, send } = await makePushes()
  expect(await send({ one: await commit({ 'pointer.txt': pointerOf('cat') }) })).toEqual([null])
})

test('files that .lfsconfig keeps on another server are not asked for', async () => {
  const { commit, send } = await makePushes()
  const files = { 'a.psd': pointerOf('cat') }
  const config = '[lfs]\n\turl = https://lfs.example.com/acme\n'
  expect(await send({ one: await commit({ ...files, '.lfsconfig': config }) })).toEqual([null])
  const other = '[lfs]\n\tlocksverify = true\n'
  const [refused] = await send({ two: await commit({ ...files, '.lfsconfig': other }) })
  expect(refused).toContain('a.psd')
})

test('a file that a push uses is not collected any more', async () => {
  const { world, row, commit, send, store } = await makePushes()
  await store('cat')
  await world.write((tx) => setUnusedSince(tx, row.id, oidOf('cat'), tx.now))
  expect(await send({ one: await commit({ 'a.psd': pointerOf('cat') }) })).toEqual([null])
  expect(findObject(world.hearth.db, row.id, oidOf('cat'))?.unused_since).toBeNull()
})
