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
