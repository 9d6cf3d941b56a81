import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import type { SqlValue } from '#core/db.ts'
import { setActorUsername } from '#features/accounts/store/actors.ts'
import { listAssignees } from '#features/issues/assignees/list-assignees.ts'
import { refusal } from '../../../world.ts'
import { makeIssueWorld } from '../fixture.ts'

const { world, ada, mel, otto, agent, row } = await makeIssueWorld()
const list = (
  input: object = {},
  caller: typeof ada | typeof anonymous = ada,
  repo = 'acme/site',
) => world.call(listAssignees, caller, { repo, ...input })
const names = async (input: object = {}, repo?: string) =>
  (await list(input, ada, repo)).items.map(({ username }) => username)

test('members and agents at work, by username, and nobody else', async () => {
  await agent(mel, 'worker')
  expect(await names()).toEqual(['ada', 'mel', 'mel/worker'])
  expect(await names({}, 'acme/vault')).toEqual(['ada', 'mel'])
  expect((await list()).items[2]).toMatchObject({
    kind: 'agent',
    username: 'mel/worker',
    name: null,
  })
  world.clock.advance(3_600_001)
  expect(await names()).toEqual(['ada', 'mel'])
})

test('q narrows and pages go on', async () => {
  expect(await names({ q: ' ME ' })).toEqual(['mel'])
  expect(await names({ q: '%' })).toEqual([])
  const first = await list({ per_page: 1 })
  expect(first).toMatchObject({ items: [{ username: 'ada' }], next: '2' })
  expect(await list({ per_page: 1, cursor: first.next })).toMatchObject({
    items: [{ username: 'mel' }],
    next: null,
  })
})

test('members without a role on a private repository are left out', async () => {
  await world.write((tx) => tx.db.run(`UPDATE workspaces SET base_permission = 'none'`))
  expect(await names({}, 'acme/vault')).toEqual(['ada'])
  expect(await names()).toEqual(['ada', 'mel'])
  await world.write((tx) => tx.db.run(`UPDATE workspaces SET base_permission = 'write'`))
})

test('only those who see the repository', async () => {
  expect((await list({}, anonymous)).items).toHaveLength(2)
  expect(await refusal(list({}, otto, 'acme/vault'))).toMatchObject({ status: 404 })
})

test('members of a large workspace come from an index by username, also after a rename', async () => {
  const count = 450
  await world.write((tx) => {
    const people = `WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < ${count}),
      p (id, username) AS (SELECT 'usr_' || printf('%026d', ${count} - x), 'person-' || printf('%03d', x) FROM n)`
    const now = '2026-01-01T00:00:00.000Z'
    tx.db.run(
      `${people.replace('WITH', 'INSERT INTO actors (id, kind, username) WITH')} SELECT id, 'user', username FROM p`,
    )
    tx.db.run(
      `${people.replace('WITH', 'INSERT INTO users (id, created_at, updated_at) WITH')} SELECT id, ?1, ?1 FROM p`,
      now,
    )
    tx.db.run(
      `${people.replace('WITH', 'INSERT INTO emails (user_id, email, is_primary, created_at, verified_at) WITH')} SELECT id, username || '@example.com', 1, ?1, ?1 FROM p`,
      now,
    )
    tx.db.run(
      `${people.replace('WITH', 'INSERT INTO members (workspace_id, user_id, role, joined_at) WITH')} SELECT ?1, id, 'member', ?2 FROM p`,
      row('acme/site').workspace_id,
      now,
    )
  })
  const all = await allNames()
  expect(all).toHaveLength(count + 2)
  expect(all).toEqual(all.toSorted())
  expect(await names({ q: '-449' })).toEqual(['person-449'])
  const [id = ''] = (await list({ q: 'person-001' })).items.map((person) => person.id)
  await world.write((tx) => setActorUsername(tx.db, id, 'zoe'))
  expect((await allNames()).slice(-2)).toEqual(['person-450', 'zoe'])
  expect(await candidatesRead(() => list({ per_page: 100 }))).toBe(200)
})

/** The names of all pages, one after the other. */
async function allNames(): Promise<string[]> {
  const found: string[] = []
  for (let page = 1; page <= 10; page++) {
    const { items, next } = await list({ per_page: 100, page })
    found.push(...items.map(({ username }) => username))
    if (next === null) return found
  }
  throw new Error('the list does not end')
}

/** How many rows the query for candidates returns, of whatever length the list is. */
async function candidatesRead(run: () => Promise<unknown>): Promise<number> {
  const { database } = world.hearth
  const { all } = database
  let rows = 0
  database.all = <T>(sql: string, ...params: SqlValue[]): T[] => {
    const found = all.call(database, sql, ...params) as T[]
    if (sql.includes('members_by_username')) rows += found.length
    return found
  }
  try {
    await run()
  } finally {
    database.all = all
  }
  return rows
}
