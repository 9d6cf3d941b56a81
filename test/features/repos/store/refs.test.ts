import { expect, test } from 'bun:test'
import { openDatabase, type DatabaseHandle } from '#core/db.ts'
import { migrate } from '#core/migrate.ts'
import { lastMovedBranch, listRefsBelow } from '#features/repos/store/refs.ts'

const MOVED_AT = '2026-01-01T00:00:00.000Z'

/** A repository with a default branch and 20 others and 20 tags, three of each at one moment. */
function makeRefs(): DatabaseHandle {
  const db = openDatabase({ path: ':memory:' })
  migrate(db, MOVED_AT)
  db.exec('PRAGMA foreign_keys = OFF')
  const add = (repo_id: string, name: string, moved_at: string) =>
    db.run('INSERT INTO refs VALUES (?, ?, ?, NULL, ?)', repo_id, name, '1'.repeat(40), moved_at)
  add('one', 'refs/heads/main', MOVED_AT)
  for (let at = 0; at < 20; at++)
    for (const directory of ['heads', 'tags', 'pull'])
      for (const repo_id of ['one', 'two'])
        add(repo_id, `refs/${directory}/name-${at}`, `2026-01-02T00:00:0${Math.floor(at / 3)}.000Z`)
  return db
}

test('pages of refs follow each other without a gap, the default branch first', () => {
  const db = makeRefs()
  const names = (limit: number, offset: number, q?: string) =>
    listRefsBelow(db, 'one', 'refs/heads', { q, first: 'refs/heads/main', limit, offset }).map(
      ({ name }) => name.slice('refs/heads/'.length),
    )
  const all = names(100, 0)
  expect(all.slice(0, 6)).toEqual(['main', 'name-18', 'name-19', 'name-15', 'name-16', 'name-17'])
  expect(all).toHaveLength(21)
  for (const size of [1, 2, 7])
    expect(Array.from({ length: 21 }, (_, page) => names(size, page * size)).flat()).toEqual(all)
  expect(names(2, 0, 'E-1')).toEqual(['name-18', 'name-19'])
  expect(names(2, 2, 'E-1')).toEqual(['name-15', 'name-16'])
  expect(names(1, 0, 'AI')).toEqual(['main'])
  expect(names(1, 1, 'AI')).toEqual([])
  expect(names(0, 0)).toEqual([])
  expect(lastMovedBranch(db, 'one')).toBe('refs/heads/name-18')
  expect(
    listRefsBelow(db, 'two', 'refs/tags', { limit: 2, offset: 19 }).map(({ name }) => name),
  ).toEqual(['refs/tags/name-2'])
  db.close()
})

test('the refs that moved last are read from an index, and none are sorted', () => {
  const db = makeRefs()
  const texts: string[] = []
  db.watch = (sql) => void texts.push(sql)
  const page = { first: 'refs/heads/main', limit: 5, offset: 0 }
  listRefsBelow(db, 'one', 'refs/heads', page)
  listRefsBelow(db, 'one', 'refs/tags', page)
  lastMovedBranch(db, 'one')
  db.watch = null
  const plans = texts.map((sql) =>
    db.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).map(({ detail }) => detail),
  )
  const [byName] = plans
  expect(plans).toEqual([
    ['SEARCH refs USING PRIMARY KEY (repo_id=? AND name=?)'],
    ['SEARCH refs USING INDEX branches_by_move (repo_id=?)'],
    byName ?? [],
    ['SEARCH refs USING INDEX tags_by_move (repo_id=?)'],
    ['SEARCH refs USING COVERING INDEX branches_by_move (repo_id=?)'],
  ])
  db.close()
})
