import { expect, test } from 'bun:test'
import { openDatabase } from '#core/db.ts'
import { migrate, migrations, NewerDatabase, pendingMigrations } from '#core/migrate.ts'
import { currentSchema, SCHEMA_FILE } from '../../scripts/schema.ts'

const now = '2026-01-01T00:00:00.000Z'

test('each migration runs once, in order', () => {
  const db = openDatabase({ path: ':memory:' })
  const first = { name: '0001_a', sql: 'CREATE TABLE a (id TEXT) STRICT' }
  const second = { name: '0002_b', sql: 'CREATE TABLE b (id TEXT) STRICT' }
  expect(migrate(db, now, [first])).toEqual(['0001_a'])
  expect(migrate(db, now, [first, second])).toEqual(['0002_b'])
  expect(migrate(db, now, [first, second])).toEqual([])
})

test('a migration that fails is rolled back', () => {
  const db = openDatabase({ path: ':memory:' })
  const broken = {
    name: '0001_a',
    sql: 'CREATE TABLE a (id TEXT) STRICT; CREATE TABLE a (id TEXT) STRICT',
  }
  expect(() => migrate(db, now, [broken])).toThrow()
  expect(db.one(`SELECT 1 FROM sqlite_schema WHERE name = 'a'`)).toBeNull()
  expect(pendingMigrations(db, [broken])).toEqual([broken])
})

test('a new database gets all migrations or none, and an older one those before the broken', () => {
  const table = (name: string) => ({
    name: `000${name}`,
    sql: `CREATE TABLE t${name} (id TEXT) STRICT`,
  })
  const broken = { name: '0009', sql: 'CREATE TABLE' }
  const db = openDatabase({ path: ':memory:' })
  const tables = () => db.all(`SELECT name FROM sqlite_schema WHERE name GLOB 't[0-9]'`)
  expect(() => migrate(db, now, [table('1'), table('2'), broken])).toThrow()
  expect(tables()).toEqual([])
  expect(migrate(db, now, [table('1')])).toEqual(['0001'])
  expect(() => migrate(db, now, [table('1'), table('2'), broken])).toThrow()
  expect(tables()).toEqual([{ name: 't1' }, { name: 't2' }])
})

test('rows without their parents are a fault, in a new database and in an older one', () => {
  const parents = { name: '0001', sql: 'CREATE TABLE p (id TEXT PRIMARY KEY) STRICT' }
  const orphan = {
    name: '0002',
    sql: `PRAGMA defer_foreign_keys = ON; CREATE TABLE c (p TEXT REFERENCES p (id)) STRICT; INSERT INTO c VALUES ('x')`,
  }
  const db = openDatabase({ path: ':memory:' })
  expect(() => migrate(db, now, [parents, orphan])).toThrow('0002 leaves 1 rows')
  migrate(db, now, [parents])
  expect(() => migrate(db, now, [parents, orphan])).toThrow('0002 leaves 1 rows')
})

test('a database of a newer executable is refused and named', () => {
  const db = openDatabase({ path: ':memory:' })
  migrate(db, now, [
    { name: '0001_a', sql: 'CREATE TABLE a (id TEXT) STRICT' },
    { name: '0002_later', sql: 'CREATE TABLE b (id TEXT) STRICT' },
  ])
  expect(() => pendingMigrations(db, [{ name: '0001_a', sql: '' }])).toThrow(NewerDatabase)
  expect(() => pendingMigrations(db, [{ name: '0001_a', sql: '' }])).toThrow('0002_later')
})

test('schema.sql equals the result of all migrations (bun scripts/schema.ts)', async () => {
  expect(await Bun.file(SCHEMA_FILE).text()).toBe(currentSchema())
})

test('every table is strict', () => {
  const db = openDatabase({ path: ':memory:' })
  migrate(db, now)
  const loose = db.all<{ name: string }>(
    `SELECT name FROM pragma_table_list WHERE type = 'table' AND strict = 0 AND name NOT LIKE 'sqlite_%'`,
  )
  expect(loose).toEqual([])
  expect(migrations.length).toBeGreaterThan(0)
})

test('jobs of a renamed kind keep their work', () => {
  const db = openDatabase({ path: ':memory:' })
  const before = migrations.filter(({ name }) => name < '0036_job_kinds')
  migrate(db, now, before)
  for (const [id, kind] of [
    ['job_1', 'look_for_forged'],
    ['job_2', 'scan_push'],
  ] as const)
    db.run(
      `INSERT INTO jobs (id, kind, key, input, state, attempt, run_at, created_at, updated_at)
       VALUES (?, ?, NULL, '{"repo_id":"rep_1"}', 'waiting', 0, 5, ?, ?)`,
      id,
      kind,
      now,
      now,
    )
  migrate(db, now)
  expect(db.all('SELECT id, kind, input, state, run_at FROM jobs ORDER BY id')).toEqual([
    {
      id: 'job_1',
      kind: 'find_sha1_collisions',
      input: '{"repo_id":"rep_1"}',
      state: 'waiting',
      run_at: 5,
    },
    { id: 'job_2', kind: 'scan_push', input: '{"repo_id":"rep_1"}', state: 'waiting', run_at: 5 },
  ])
})
