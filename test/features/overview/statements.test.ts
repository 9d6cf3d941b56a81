import { expect, test } from 'bun:test'
import { anonymous, type Caller } from '#core/caller.ts'
import { createIssue } from '#features/issues/index.ts'
import { starRepo } from '#features/notifications/index.ts'
import { getContributions } from '#features/overview/index.ts'
import { listRepos, listUserRepos } from '#features/repos/index.ts'
import { makeWorld } from '../../world.ts'
import { countQueries } from '../../queries.ts'

test('the page of a person and lists of repositories ask the database no more often when there are more of them', async () => {
  const world = await makeWorld()
  const [ada, mel, otto] = [
    await world.user('ada'),
    await world.user('mel'),
    await world.user('otto'),
  ]
  await world.workspace('acme', { owner: ada, members: [mel] })
  let serial = 0
  const add = async (count: number) => {
    for (let n = 0; n < count; n++, serial++) {
      const repo = `acme/r${serial}`
      await world.repo(repo, { as: ada, private: serial % 2 === 0 })
      await world.call(createIssue, ada, { repo, title: 'The door squeaks' })
      for (const who of [ada, mel]) await world.call(starRepo, who, { repo })
    }
  }
  const readers: readonly Caller[] = [ada, mel, otto, anonymous]
  const statements = async () => {
    const counts: number[] = []
    for (const caller of readers) {
      const { queries } = await countQueries(world.hearth, async () => {
        await world.call(getContributions, caller, { username: 'ada' })
        await world.call(listUserRepos, caller, { username: 'ada' })
        await world.call(listRepos, caller, { workspace: 'acme' })
      })
      counts.push(queries)
    }
    return counts
  }
  await add(3)
  const few = await statements()
  await add(6)
  const many = await statements()
  // Stars of private repositories are still checked one by one for the reader.
  expect(many.slice(2)).toEqual(few.slice(2))
  for (const count of many) expect(count).toBeLessThan(100)
  const totals = await Promise.all(
    readers.map(
      async (caller) => (await world.call(getContributions, caller, { username: 'ada' })).total,
    ),
  )
  const names = await Promise.all(
    readers.map(
      async (caller) => (await world.call(listUserRepos, caller, { username: 'ada' })).items.length,
    ),
  )
  expect([totals, names]).toEqual([
    [9, 9, 4, 4],
    [9, 9, 4, 4],
  ])
  for (const { stars_count } of (await world.call(listUserRepos, mel, { username: 'ada' })).items)
    expect(stars_count).toBe(2)
})
