import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { moveRefs, prepareUpdates, readRef } from '#features/repos/index.ts'
import { listContributors } from '#features/repos/insights/list-contributors.ts'
import { timestamp } from '#lib/time.ts'
import { makeCode, repo } from '../code.ts'

test('authors by commits, with their accounts, page by page', async () => {
  const { world, bob } = await makeCode()
  await world.commit(repo, 'main', { 'b.ts': 'b\n' }, { as: bob })
  const { items, next } = await world.call(listContributors, anonymous, { repo })
  expect(items).toMatchObject([
    { name: 'ada', actor: { username: 'ada' }, commits: 2, additions: 14, deletions: 0 },
    { name: 'bob', actor: { username: 'bob' }, commits: 1, additions: 1, deletions: 0 },
  ])
  expect(items[0]?.weeks).toEqual([{ week: items[0]?.first_week ?? '', commits: 2 }])
  expect(next).toBeNull()
  const second = await world.call(listContributors, anonymous, { repo, per_page: 1, page: 2 })
  expect(second.items.map(({ name }) => name)).toEqual(['bob'])
})

test('two addresses of one account are one contributor; unknown ones have no account', async () => {
  const { world, ada, row } = await makeCode()
  const { hearth } = world
  hearth.database.run(
    `INSERT INTO emails (user_id, email, is_primary, created_at, verified_at)
     VALUES (?1, 'ada@work.example', 0, ?2, ?3)`,
    ada.id,
    timestamp(0),
    timestamp(0),
  )
  const before = readRef(hearth.db, row().id, 'refs/heads/main')
  let parent = before
  for (const email of ['ada@work.example', 'stranger@example.net']) {
    const author = { name: 'Somebody', email, time: 1_700_000_000, zone: '+0000' }
    const changes = [{ action: 'put' as const, path: email, data: new Uint8Array([10]) }]
    const options = { parent, changes, message: 'Add', author, committer: author }
    parent = (await hearth.git.commitFiles(row().store, options)).commit
  }
  const moves = [{ name: 'refs/heads/main', old: before, new: parent }]
  const prepared = await prepareUpdates(hearth, row(), moves)
  await world.write((tx) => moveRefs(tx, row(), prepared), ada)
  const { items } = await world.call(listContributors, anonymous, { repo })
  expect(items.map(({ actor, commits, email }) => [actor?.username, commits, email])).toEqual([
    ['ada', 3, 'ada@example.com'],
    [undefined, 1, 'stranger@example.net'],
  ])
})
