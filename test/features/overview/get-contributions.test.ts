import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { createIssue } from '#features/issues/index.ts'
import { getContributions } from '#features/overview/index.ts'
import { MAX_UNDIVIDED_EVENTS } from '#features/overview/count-contributions.ts'
import { DAY, HOUR, timestamp } from '#lib/time.ts'
import { makeWorld } from '../../world.ts'
import { countQueries } from '../../queries.ts'

test('contributions are counted per day in repositories that the reader sees', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  await world.workspace('acme', { owner: ada })
  await world.repo('acme/open', { as: ada, private: false })
  await world.repo('acme/closed', { as: ada, private: true })
  const days = async (caller: Parameters<typeof world.call>[1]) =>
    (await world.call(getContributions, caller, { username: 'ada' })).days
  const before = await world.call(getContributions, ada, { username: 'ada' })
  expect([before.days.length > 52 * 7, before.days.length <= 53 * 7]).toEqual([true, true])
  world.clock.advance(DAY)
  await world.call(createIssue, ada, { repo: 'acme/open', title: 'One' })
  await world.call(createIssue, ada, { repo: 'acme/closed', title: 'Two' })
  expect([(await days(ada)).at(-1)?.count, (await days(anonymous)).at(-1)?.count]).toEqual([2, 1])
  const all = await days(ada)
  expect(new Set(all.map(({ day }) => day)).size).toBe(all.length)
  expect(new Date(all[0]?.day ?? '').getUTCDay()).toBe(1)
})

test('a large year is counted in chunks, cached, and filtered by what the reader sees', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const acme = await world.workspace('acme', { owner: ada })
  const [open, closed] = [
    await world.repo('acme/open', { as: ada, private: false }),
    await world.repo('acme/closed', { as: ada, private: true }),
  ]
  const now = world.clock.now()
  // A hundred events a day from the oldest day on; every third in the private repository.
  const days = Math.ceil((MAX_UNDIVIDED_EVENTS + 1) / 100)
  await world.write((tx) => {
    for (let n = 0; n < days * 100; n++) {
      const time = timestamp(now - (days - Math.floor(n / 100)) * DAY)
      tx.db.run(
        `INSERT INTO events (id, type, time, workspace_id, repo_id, actor_id, number, data) VALUES (?, 'issue.opened', ?, ?, ?, ?, NULL, '{}')`,
        `evt_${String(n).padStart(26, '0')}`,
        time,
        acme.id,
        n % 3 === 0 ? closed.id : open.id,
        ada.id,
      )
    }
  })
  const asked = async (caller: Parameters<typeof world.call>[1]) => {
    const { result, queries } = await countQueries(world.hearth, () =>
      world.call(getContributions, caller, { username: 'ada' }),
    )
    const { total, days: shown } = result
    return {
      total,
      most: Math.max(...shown.map(({ count }) => count)),
      queries,
    }
  }
  const others = days * 100 - Math.ceil((days * 100) / 3)
  const first = await asked(ada)
  expect([first.total, first.most]).toEqual([days * 100, 100])
  expect(first.queries).toBeLessThan(100)
  const stranger = await asked(anonymous)
  expect([stranger.total, stranger.most]).toEqual([others, 67])
  const again = await asked(anonymous)
  expect(again.total).toBe(others)
  expect(again.queries).toBeLessThan(10)
  await world.call(createIssue, ada, { repo: 'acme/open', title: 'One more' })
  world.clock.advance(HOUR)
  expect((await asked(anonymous)).total).toBe(others + 1)
})

test('a year whose events have one moment is counted in repositories that the reader sees', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const acme = await world.workspace('acme', { owner: ada })
  const open = await world.repo('acme/open', { as: ada, private: false })
  const closed = await world.repo('acme/closed', { as: ada, private: true })
  const time = timestamp(world.clock.now() - 30 * DAY)
  const add = (id: string, count: number) =>
    world.write((tx) =>
      tx.db.run(
        `WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < ?)
         INSERT INTO events (id, type, time, workspace_id, repo_id, actor_id, number, data)
         SELECT 'evt_' || ? || x, 'issue.opened', ?, ?, ?, ?, NULL, '{}' FROM n`,
        count,
        id,
        time,
        acme.id,
        id,
        ada.id,
      ),
    )
  await add(open.id, MAX_UNDIVIDED_EVENTS + 5)
  await add(closed.id, MAX_UNDIVIDED_EVENTS + 7)
  const total = async (caller: Parameters<typeof world.call>[1]) =>
    (await world.call(getContributions, caller, { username: 'ada' })).total
  expect(await total(ada)).toBe(2 * MAX_UNDIVIDED_EVENTS + 12)
  expect(await total(anonymous)).toBe(MAX_UNDIVIDED_EVENTS + 5)
})
