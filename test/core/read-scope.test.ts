import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'bun:test'
import { openDatabase } from '#core/db.ts'
import { preload, memo, readScope } from '#core/read-scope.ts'

function open() {
  const db = openDatabase({ path: ':memory:' })
  db.exec('CREATE TABLE things (id TEXT PRIMARY KEY, size INTEGER NOT NULL) STRICT')
  for (const [id, size] of [
    ['a', 1],
    ['b', 2],
  ] as const)
    db.run('INSERT INTO things (id, size) VALUES (?, ?)', id, size)
  let asked = 0
  const size = (id: string) =>
    memo(db, 'size', id, () => {
      asked++
      return db.one<{ size: number }>('SELECT size FROM things WHERE id = ?', id)?.size ?? null
    })
  return { db, size, asked: () => asked }
}

test('a memo runs once in a read scope, also for an empty value, and always outside of one', () => {
  const { db, size, asked } = open()
  expect(
    readScope(db, () => [
      size('a'),
      size('a'),
      readScope(db, () => size('a')),
      size('none'),
      size('none'),
    ]),
  ).toEqual([1, 1, 1, null, null])
  expect(asked()).toBe(2)
  expect([size('a'), size('a')]).toEqual([1, 1])
  expect(asked()).toBe(4)
})

test('a read scope ends with its function, also on an error, and belongs to one database', () => {
  const { db, size, asked } = open()
  const other = open()
  expect(() =>
    readScope(db, () => {
      size('a')
      throw new Error('stop')
    }),
  ).toThrow('stop')
  readScope(db, () => [size('a'), other.size('a'), other.size('a')])
  expect([asked(), other.asked()]).toEqual([2, 2])
})

test('a change of the database clears the memos', () => {
  const { db, size } = open()
  const seen = readScope(db, () => {
    const before = size('a')
    db.run('UPDATE things SET size = 7 WHERE id = ?', 'a')
    return [before, size('a')]
  })
  expect(seen).toEqual([1, 7])
})

test('so does a change that gives rows; a row of a table without memos does not', () => {
  const { db, size, asked } = open()
  db.exec('CREATE TABLE log (text TEXT NOT NULL)')
  const seen = readScope(db, () => {
    const before = size('a')
    db.one('UPDATE things SET size = 7 WHERE id = ? RETURNING size', 'a')
    const after = size('a')
    const ids = ['one', 'two'].map((text) => db.append('INSERT INTO log (text) VALUES (?)', text))
    return [before, after, size('a'), ...ids]
  })
  expect([seen, asked()]).toEqual([[1, 7, 7, 1, 2], 2])
})

test('preload runs one query for a page, and none when all keys are memoised', () => {
  const { db, size, asked } = open()
  let pages = 0
  const keepSizes = (ids: readonly string[]) =>
    preload(
      db,
      'size',
      ids,
      () => {
        pages++
        return new Map(
          db
            .all<{ id: string; size: number }>('SELECT * FROM things')
            .map((row) => [row.id, row.size]),
        )
      },
      () => null,
    )
  readScope(db, () => {
    keepSizes(['a', 'b', 'none'])
    keepSizes(['a', 'none'])
    expect([size('a'), size('b'), size('none')]).toEqual([1, 2, null])
  })
  expect([asked(), pages]).toEqual([0, 1])
})

test('of a running forge, memos last until the next commit of this process or another', () => {
  const { db, size, asked } = open()
  let version = '1'
  db.version = () => version
  const read = () => readScope(db, () => size('a'))
  expect([read(), read(), asked()]).toEqual([1, 1, 1])
  db.run('UPDATE things SET size = 7 WHERE id = ?', 'a')
  expect([read(), read(), asked()]).toEqual([7, 7, 2])
  // Another connection changed it.
  db.raw.run('UPDATE things SET size = 8 WHERE id = ?', ['a'])
  version = '2'
  expect([read(), read(), asked()]).toEqual([8, 8, 3])
})

test('a read that saw what was rolled back is forgotten', () => {
  const { db, size } = open()
  db.version = () => '1'
  db.exec('BEGIN')
  db.run('UPDATE things SET size = 7 WHERE id = ?', 'a')
  expect(readScope(db, () => size('a'))).toBe(7)
  db.exec('ROLLBACK')
  expect(readScope(db, () => size('a'))).toBe(1)
})

test('the reads of a scope see one state of the data, and a write in it is committed', () => {
  const directory = mkdtempSync(join(tmpdir(), 'read-scope-'))
  const path = join(directory, 'db')
  const [db, other] = [openDatabase({ path }), openDatabase({ path })]
  try {
    db.exec('CREATE TABLE things (size INTEGER NOT NULL) STRICT')
    db.run('INSERT INTO things VALUES (1)')
    const size = (from: typeof db) => from.one<{ size: number }>('SELECT size FROM things')?.size
    const seen = readScope(db, () => {
      const before = size(db)
      other.run('UPDATE things SET size = 2')
      return [before, size(db), size(other)]
    })
    expect([seen, size(db)]).toEqual([[1, 1, 2], 2])
    readScope(db, () => {
      size(db)
      db.run('UPDATE things SET size = 3')
      expect([size(other), size(db)]).toEqual([3, 3])
    })
    expect(db.raw.inTransaction).toBe(false)
    // A scope inside of a transaction does not end it.
    db.exec('BEGIN')
    readScope(db, () => size(db))
    expect(db.raw.inTransaction).toBe(true)
    db.exec('COMMIT')
  } finally {
    db.close()
    other.close()
    rmSync(directory, { recursive: true })
  }
})
