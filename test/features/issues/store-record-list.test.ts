import { expect, test } from 'bun:test'
import type { Db, SqlValue } from '#core/db.ts'
import {
  countListed,
  listRecordNumbers,
  type RecordFilter,
} from '#features/issues/store-record-list.ts'
import { pullConditions } from '#features/pulls/store-pull-list.ts'
import { makeIssueWorld } from './fixture.ts'

const { world, ada, row } = await makeIssueWorld()
const repo_id = row('acme/site').id
const any: RecordFilter = {
  kind: 'issue',
  repo_id,
  state: 'open',
  label_ids: [],
  assignee_ids: null,
  author_ids: null,
  milestone_id: null,
  without: [],
  words: null,
  sort: 'created',
  direction: 'desc',
  joined: null,
}

/** How SQLite would answer every question asked through this. */
function explaining(db: Db, plans: string[]): Db {
  const explain = (sql: string, params: SqlValue[]) => {
    // Ended at once: a kept statement that explains would stay open, and the database could not be
    // closed.
    const statement = world.hearth.database.raw.prepare<{ detail: string }, SqlValue[]>(
      `EXPLAIN QUERY PLAN ${sql}`,
    )
    plans.push(...statement.all(...params).map(({ detail }) => detail))
    statement.finalize()
  }
  return {
    memos: null,
    currentMemos: () => new Map(),
    endReads: () => {},
    one: (sql, ...params) => (explain(sql, params), db.one(sql, ...params)),
    all: (sql, ...params) => (explain(sql, params), db.all(sql, ...params)),
  }
}

const plansOf = (
  filter: Partial<RecordFilter>,
  ask: (db: Db, filter: RecordFilter) => unknown,
): string[] => {
  const plans: string[] = []
  ask(explaining(world.hearth.db, plans), { ...any, ...filter })
  return plans
}

test.each([
  [{}],
  [{ sort: 'updated' }],
  [{ sort: 'comments' }],
  [{ sort: 'updated', direction: 'asc' }],
  [{ kind: 'pull', sort: 'updated' }],
  [{ kind: 'pull', joined: pullConditions({ state: 'merged' }) }],
  [{ kind: 'pull', joined: pullConditions({ state: 'open', review: 'approved' }) }],
  [{ kind: 'pull', sort: 'updated', joined: pullConditions({ state: 'ready' }) }],
  [{ without: ['assignee', 'label'] }],
  [{ state: 'closed' }],
  [{ label_ids: ['lbl_a'] }],
  [{ label_ids: ['lbl_a', 'lbl_b'] }],
  [{ assignee_ids: ['usr_a'] }],
  [{ author_ids: ['usr_a'] }],
  [{ label_ids: ['lbl_a'], author_ids: ['usr_a'], assignee_ids: ['usr_b'] }],
] as Partial<RecordFilter>[][])('a page for %j is read in order from an index', (filter = {}) => {
  const plans = plansOf(filter, (db, whole) => listRecordNumbers(db, whole, 31, 0))
  expect(plans.length).toBeGreaterThan(0)
  for (const plan of plans) expect(plan).not.toMatch(/^SCAN|TEMP B-TREE/)
})

test.each([
  [{ state: 'all' }],
  [{ milestone_id: 'mls_a' }],
  [{ words: ['door'] }],
  [{ words: ['door'], label_ids: ['lbl_a'] }],
  [{ label_ids: ['lbl_a'], sort: 'updated' }],
  [{ assignee_ids: ['agt_a', 'agt_b'], state: 'all' }],
] as Partial<RecordFilter>[][])('a page for %j starts from an index', (filter = {}) => {
  for (const plan of plansOf(filter, (db, whole) => listRecordNumbers(db, whole, 31, 0))) {
    if (plan.startsWith('SCAN')) expect(plan).toStartWith('SCAN f VIRTUAL TABLE INDEX')
  }
})

test('the usual totals are read from one row, and all totals from an index', () => {
  expect(plansOf({}, countListed)).toEqual([
    'SEARCH record_counts USING PRIMARY KEY (repo_id=? AND kind=? AND open=?)',
  ])
  expect(plansOf({ label_ids: ['lbl_a'] }, countListed)).toEqual([
    'SEARCH labels USING PRIMARY KEY (id=?)',
  ])
  for (const filter of [
    { author_ids: ['usr_a'] },
    { milestone_id: 'mls_a' },
    { assignee_ids: ['usr_a'] },
    { label_ids: ['a', 'b'] },
  ]) {
    for (const plan of plansOf(filter, countListed)) expect(plan).not.toStartWith('SCAN')
  }
})

test('counts stay true when a repository and all it has is removed', async () => {
  await world.repo('acme/short-lived', { as: ada })
  const { id } = row('acme/short-lived')
  await world.write((tx) => tx.db.run('DELETE FROM repos WHERE id = ?', id))
  expect(world.hearth.db.all('SELECT * FROM labels WHERE repo_id = ?', id)).toEqual([])
  expect(world.hearth.db.all('PRAGMA foreign_key_check')).toEqual([])
})

test('a page of the second half is read from the end, and holds the same', async () => {
  await world.repo('acme/long', { as: ada })
  const { id } = row('acme/long')
  await world.write((tx) =>
    tx.db.run(
      `WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 2500)
       INSERT INTO records (repo_id, number, kind, title, author_id, comments_count, created_at, updated_at)
       SELECT ?1, x, 'issue', 'Number ' || x, ?2, x % 7, ?3, ?3 FROM n`,
      id,
      ada.id,
      '2026-01-01T00:00:00.000Z',
    ),
  )
  let rowsRead = 0
  const { db } = world.hearth
  const counting: Db = {
    memos: null,
    currentMemos: () => new Map(),
    endReads: () => {},
    one: (sql, ...params) => db.one(sql, ...params),
    all: (sql, ...params) => {
      // The last two parameters are the limit and the offset.
      for (const skippedOrReturned of params.slice(-2)) rowsRead += Number(skippedOrReturned)
      return db.all(sql, ...params)
    },
  }
  for (const change of [{}, { direction: 'asc' }, { sort: 'comments' }] as const) {
    const filter: RecordFilter = { ...any, repo_id: id, ...change }
    const total = countListed(db, filter)
    expect(total).toBe(2500)
    const all = listRecordNumbers(db, filter, 3000, 0)
    for (const offset of [0, 990, 1020, 1240, 1260, 1500, 2460, 2490, 2499, 2500, 9000])
      expect(listRecordNumbers(counting, filter, 31, offset, total)).toEqual(
        all.slice(offset, offset + 31),
      )
    rowsRead = 0
    listRecordNumbers(counting, filter, 31, 2490, total)
    expect(rowsRead).toBe(10)
  }
})
