import { expect, test } from 'bun:test'
import { openDatabase, Writer } from '#core/db.ts'

const open = () => {
  const db = openDatabase({ path: ':memory:' })
  db.exec('CREATE TABLE things (name TEXT PRIMARY KEY) STRICT')
  const names = () => db.all<{ name: string }>('SELECT name FROM things ORDER BY name').map(({ name }) => name)
  return { db, writer: new Writer(db), names }
}

test('writes that arrive together are committed together, and one that fails takes nothing with it', async () => {
  const { db, writer, names } = open()
  let commits = 0
  const exec = db.exec
  db.exec = (sql) => {
    if (sql === 'COMMIT') commits++
    exec(sql)
  }
  const insert = (name: string) => writer.write(() => db.run('INSERT INTO things (name) VALUES (?)', name))
  const results = await Promise.allSettled([
    insert('a'),
    writer.write(() => {
      db.run('INSERT INTO things (name) VALUES (?)', 'half')
      throw new Error('stop')
    }),
    insert('b'),
    insert('a'),
  ])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected'])
  expect(names()).toEqual(['a', 'b'])
  expect(commits).toBe(1)
})

test('a write that gives a promise is refused and undone, because it would go on after the commit', async () => {
  const { db, writer, names } = open()
  const write = writer.write(async () => {
    db.run('INSERT INTO things (name) VALUES (?)', 'late')
  })
  expect(write).rejects.toThrow('must be synchronous')
  await write.catch(() => {})
  expect(names()).toEqual([])
})

test('nothing is answered before it is committed', async () => {
  const { db, writer } = open()
  let committed = false
  const exec = db.exec
  db.exec = (sql) => {
    exec(sql)
    if (sql === 'COMMIT') committed = true
  }
  let seen: boolean | null = null
  await writer.write(() => db.run('INSERT INTO things (name) VALUES (?)', 'a')).then(() => (seen = committed))
  expect(seen).toBe(true as never)
})

test('when the commit fails every write of the batch is told so', async () => {
  const { db, writer, names } = open()
  const exec = db.exec
  db.exec = (sql) => {
    if (sql === 'COMMIT') throw new Error('disk full')
    exec(sql)
  }
  const results = await Promise.allSettled(['a', 'b'].map((name) => writer.write(() => db.run('INSERT INTO things (name) VALUES (?)', name))))
  expect(results.every((result) => result.status === 'rejected' && String(result.reason).includes('disk full'))).toBe(true)
  db.exec = exec
  expect(names()).toEqual([])
})

test('the database keeps what was acknowledged through a power cut: full sync, WAL, foreign keys on', () => {
  const path = `${process.env['TMPDIR'] ?? '/tmp'}/hearth-pragma-${process.pid}.db`
  const db = openDatabase({ path })
  expect(db.one<{ synchronous: number }>('PRAGMA synchronous')?.synchronous).toBe(2)
  expect(db.one<{ journal_mode: string }>('PRAGMA journal_mode')?.journal_mode).toBe('wal')
  expect(db.one<{ foreign_keys: number }>('PRAGMA foreign_keys')?.foreign_keys).toBe(1)
  db.close()
})
