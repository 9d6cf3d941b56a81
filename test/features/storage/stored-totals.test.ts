import { expect, test } from 'bun:test'
import { openDatabase } from '#core/db.ts'
import { migrate, migrations } from '#core/migrate.ts'
import {
  insertStored,
  removeStored,
  setOffloaded,
  setUnneeded,
  sumStored,
} from '#features/storage/store.ts'
import type { Timestamp } from '#lib/time.ts'

const NOW = '2026-01-01T00:00:00.000Z' as Timestamp

test('the bytes of the bucket are counted from a migrated database on, through every change', () => {
  const db = openDatabase({ path: ':memory:' })
  migrate(
    db,
    NOW,
    migrations.filter(({ name }) => name < '0091'),
  )
  const add = (name: string, size: number, away = false) =>
    insertStored(
      db,
      { name, store: null, size, sha256: 'a'.repeat(64), modified_ms: 0, away: away ? 1 : 0 },
      NOW,
      0,
    )
  add('one', 1)
  add('two', 2, true)
  add('unneeded', 100)
  setUnneeded(db, 'unneeded', NOW)
  db.exec(migrations.find(({ name }) => name.startsWith('0091'))?.sql ?? '')
  const sums = () => {
    const { files, bytes, local, away } = sumStored(db)
    return [files, bytes, local, away]
  }
  expect(sums()).toEqual([2, 3, 1, 2])
  add('three', 4)
  setOffloaded(db, 'three', true)
  expect(sums()).toEqual([3, 7, 1, 6])
  setOffloaded(db, 'three', false)
  // Another size under the same name, and a file that is needed again.
  add('one', 8)
  add('unneeded', 16)
  expect(sums()).toEqual([4, 30, 28, 2])
  setUnneeded(db, 'one', NOW)
  removeStored(db, 'one')
  removeStored(db, 'two')
  expect(sums()).toEqual([2, 20, 20, 0])
  db.close()
})
