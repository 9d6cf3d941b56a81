import { expect, test } from 'bun:test'
import { anonymous, type Caller } from '#core/caller.ts'
import { openDatabase } from '#core/db.ts'
import { changeEventActor, removeEvents } from '#core/events.ts'
import { migrate, migrations } from '#core/migrate.ts'
import { createIssue } from '#features/issues/index.ts'
import { getContributions } from '#features/overview/index.ts'
import { REPOS_PER_TURN } from '#features/overview/count-contributions.ts'
import { countContributionsByDay, listContributedRepos } from '#features/overview/store.ts'
import { DAY, timestamp, type Timestamp } from '#lib/time.ts'
import { makeWorld, type World } from '../../world.ts'
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

/** Adds events of the past to one day of a repository. */
const addEvents = (
  world: World,
  actor_id: string,
  repo_id: string,
  { count, day, type = 'issue.opened' }: { count: number; day: number; type?: string },
) =>
  world.write((tx) =>
    tx.db.run(
      `WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < ?)
       INSERT INTO events (id, type, time, workspace_id, repo_id, actor_id, number, data)
       SELECT 'evt_' || ? || x, ?, ?, 'wsp_1', ?, ?, NULL, '{}' FROM n`,
      count,
      `${repo_id} ${day} ${type} `,
      type,
      timestamp(world.clock.now() - day * DAY),
      repo_id,
      actor_id,
    ),
  )

test('a year of many events takes as many queries as one of few, and follows every change', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const bob = await world.user('bob')
  await world.workspace('acme', { owner: ada })
  const open = await world.repo('acme/open', { as: ada, private: false })
  const closed = await world.repo('acme/closed', { as: ada, private: true })
  const asked = async (caller: Caller, username = 'ada') => {
    const { result, queries } = await countQueries(world.hearth, () =>
      world.call(getContributions, caller, { username }),
    )
    return {
      total: result.total,
      most: Math.max(...result.days.map(({ count }) => count)),
      queries,
    }
  }
  await addEvents(world, ada.id, open.id, { count: 1, day: 3 })
  await addEvents(world, ada.id, closed.id, { count: 1, day: 3 })
  const few = [await asked(ada), await asked(anonymous)]
  expect(few.map(({ total }) => total)).toEqual([2, 1])
  for (const day of [3, 4, 363]) {
    await addEvents(world, ada.id, open.id, { count: 20_000, day, type: 'comment.created' })
    await addEvents(world, ada.id, closed.id, { count: 10_000, day, type: 'git.push' })
  }
  // Older than a year, and of a type that is no contribution.
  await addEvents(world, ada.id, open.id, { count: 7, day: 380 })
  await addEvents(world, ada.id, open.id, { count: 7, day: 2, type: 'repo.starred' })
  const many = [await asked(ada), await asked(anonymous)]
  expect(many.map(({ total, most }) => [total, most])).toEqual([
    [90_002, 30_002],
    [60_001, 20_001],
  ])
  expect(many.map(({ queries }) => queries)).toEqual(few.map(({ queries }) => queries))
  // Somebody else takes what was done under this name, and events are deleted with a repository.
  await world.write((tx) => changeEventActor(tx, open.id, ada.id, bob.id))
  expect([(await asked(ada)).total, (await asked(anonymous, 'bob')).total]).toEqual([
    30_001, 60_001,
  ])
  await world.write((tx) => removeEvents(tx.db, open.id, { except: 'none', limit: 1e6 }))
  expect((await asked(anonymous, 'bob')).total).toBe(0)
})

test('repositories are counted in groups, each once', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  await world.workspace('acme', { owner: ada })
  const open = await world.repo('acme/open', { as: ada, private: false })
  // Those of repositories that are gone count for nobody.
  for (let n = 0; n <= REPOS_PER_TURN; n++)
    for (const id of [`rep_0${n}`, `rep_zz${n}`])
      await addEvents(world, ada.id, id, { count: 1, day: 1 })
  await addEvents(world, ada.id, open.id, { count: 3, day: 1 })
  const listed: string[] = []
  for (let after = ''; ; after = listed.at(-1)!) {
    const part = listContributedRepos(world.hearth.db, ada.id, { after, limit: REPOS_PER_TURN })
    if (part.length === 0) break
    listed.push(...part)
  }
  expect([listed.length, new Set(listed).size]).toEqual([2 * REPOS_PER_TURN + 3, listed.length])
  expect((await world.call(getContributions, anonymous, { username: 'ada' })).total).toBe(3)
})

test('an upgrade counts the events that are there', () => {
  const db = openDatabase({ path: ':memory:' })
  migrate(
    db,
    '2026-01-01T00:00:00.000Z' as Timestamp,
    migrations.filter(({ name }) => name < '0092'),
  )
  const add = (id: string, type: string, time: string, actor_id: string | null = 'usr_1') =>
    db.run(
      `INSERT INTO events (id, type, time, workspace_id, repo_id, actor_id, number, data)
       VALUES (?, ?, ?, 'wsp_1', 'rep_1', ?, NULL, '{}')`,
      id,
      type,
      time,
      actor_id,
    )
  add('evt_1', 'git.push', '2025-12-30T23:59:59.999Z')
  add('evt_2', 'git.push', '2025-12-31T00:00:00.000Z')
  add('evt_3', 'issue.opened', '2025-12-31T10:00:00.000Z')
  add('evt_4', 'repo.starred', '2025-12-31T10:00:00.000Z')
  add('evt_5', 'git.push', '2025-12-31T10:00:00.000Z', null)
  db.exec(migrations.find(({ name }) => name.startsWith('0092'))?.sql ?? '')
  add('evt_6', 'wiki.updated', '2025-12-31T11:00:00.000Z')
  db.run(`DELETE FROM events WHERE id = 'evt_1'`)
  const period = { first: '2025-01-01', last: '2025-12-31' }
  expect(countContributionsByDay(db, 'usr_1', ['rep_1'], period)).toEqual([
    { day: '2025-12-31', count: 3 },
  ])
  db.close()
})
