import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase, Writer } from '#core/db.ts'

const open = () => {
  const db = openDatabase({ path: ':memory:' })
  db.exec('CREATE TABLE things (name TEXT PRIMARY KEY) STRICT')
  const names = () =>
    db.all<{ name: string }>('SELECT name FROM things ORDER BY name').map(({ name }) => name)
  return { db, writer: new Writer(db), names }
}

test('writes that arrive together share a commit, and one that fails does not undo the others', async () => {
  const { db, writer, names } = open()
  let commits = 0
  const exec = db.exec.bind(db)
  db.exec = (sql) => {
    if (sql === 'COMMIT') commits++
    exec(sql)
  }
  const insert = (name: string) =>
    writer.write(() => db.run('INSERT INTO things (name) VALUES (?)', name))
  const results = await Promise.allSettled([
    insert('a'),
    writer.write(() => {
      db.run('INSERT INTO things (name) VALUES (?)', 'half')
      throw new Error('stop')
    }),
    insert('b'),
    insert('a'),
  ])
  expect(results.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'rejected',
  ])
  expect(names()).toEqual(['a', 'b'])
  expect(commits).toBe(1)
})

test('an asynchronous write is rejected and rolled back', async () => {
  const { db, writer, names } = open()
  const write = writer.write(async () => {
    db.run('INSERT INTO things (name) VALUES (?)', 'late')
  })
  expect(write).rejects.toThrow('must be synchronous')
  await write.catch(() => {})
  expect(names()).toEqual([])
})

test('a write resolves after its commit', async () => {
  const { db, writer } = open()
  let committed = false
  const exec = db.exec.bind(db)
  db.exec = (sql) => {
    exec(sql)
    if (sql === 'COMMIT') committed = true
  }
  let seen: boolean | null = null
  await writer
    .write(() => db.run('INSERT INTO things (name) VALUES (?)', 'a'))
    .then(() => (seen = committed))
  expect(seen).toBe(true as never)
})

test('when the commit fails, every write of the batch rejects', async () => {
  const { db, writer, names } = open()
  const exec = db.exec.bind(db)
  db.exec = (sql) => {
    if (sql === 'COMMIT') throw new Error('disk full')
    exec(sql)
  }
  const results = await Promise.allSettled(
    ['a', 'b'].map((name) =>
      writer.write(() => db.run('INSERT INTO things (name) VALUES (?)', name)),
    ),
  )
  expect(
    results.every(
      (result) => result.status === 'rejected' && String(result.reason).includes('disk full'),
    ),
  ).toBe(true)
  db.exec = exec
  expect(names()).toEqual([])
})

test('a turn of the event loop runs as many writes as it has time for, a later one the others', async () => {
  const db = openDatabase({ path: ':memory:' })
  let nowMs = 0
  let groups = 0
  const exec = db.exec.bind(db)
  db.exec = (sql) => {
    if (sql === 'BEGIN IMMEDIATE') groups++
    exec(sql)
  }
  const writer = new Writer(db, null, () => nowMs)
  const groupOf = (ms: number): Promise<number> =>
    writer.write(() => {
      nowMs += ms
      return groups
    })
  const results = [3, 3, 3, 1, 20, 1].map(groupOf)
  expect(await Promise.all(results)).toEqual([1, 1, 2, 2, 3, 4])
  // A closing forge runs all that wait.
  const last = [10, 10, 10].map(groupOf)
  await writer.close()
  expect(await Promise.all(last)).toEqual([5, 6, 7])
  db.close()
})

test('the pragmas for durability are set: full sync, WAL, foreign keys', () => {
  const path = `${process.env.TMPDIR ?? '/tmp'}/hearth-pragma-${process.pid}.db`
  const db = openDatabase({ path })
  expect(db.one<{ synchronous: number }>('PRAGMA synchronous')?.synchronous).toBe(2)
  expect(db.one<{ journal_mode: string }>('PRAGMA journal_mode')?.journal_mode).toBe('wal')
  expect(db.one<{ foreign_keys: number }>('PRAGMA foreign_keys')?.foreign_keys).toBe(1)
  db.close()
})

describe('on disk', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-writer-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const openFile = (name: string) => {
    const db = openDatabase({ path: join(folder, name) })
    db.exec('CREATE TABLE things (name TEXT PRIMARY KEY) STRICT')
    return {
      db,
      names: () =>
        db.all<{ name: string }>('SELECT name FROM things ORDER BY name').map(({ name }) => name),
    }
  }

  test('nothing is answered before the log is on disk, and what comes meanwhile is the next group', async () => {
    const { db, names } = openFile('held.db')
    const syncs: PromiseWithResolvers<void>[] = []
    const writer = new Writer(db, {
      sync: () => {
        const one = Promise.withResolvers<void>()
        syncs.push(one)
        return one.promise
      },
      close: () => {},
    })
    const answered: string[] = []
    const insert = (name: string) =>
      writer
        .write(() => db.run('INSERT INTO things (name) VALUES (?)', name))
        .then(() => void answered.push(name))
    const turns = async () => {
      for (let n = 0; n < 5; n++) await new Promise((resolve) => setImmediate(resolve))
    }
    const first = insert('a')
    await turns()
    const others = [insert('b'), insert('c')]
    await turns()
    expect({ names: names(), answered, syncs: syncs.length }).toEqual({
      names: ['a'],
      answered: [],
      syncs: 1,
    })
    syncs[0]?.resolve()
    await first
    await turns()
    expect({ names: names(), answered, syncs: syncs.length }).toEqual({
      names: ['a', 'b', 'c'],
      answered: ['a'],
      syncs: 2,
    })
    syncs[1]?.reject(new Error('the disk is gone'))
    expect((await Promise.allSettled(others)).map(({ status }) => status)).toEqual([
      'rejected',
      'rejected',
    ])
    await writer.close()
    db.close()
  })

  test('what was written is there after a close, and a long log is taken over into the file by another thread', async () => {
    const { db, names } = openFile('long.db')
    db.exec('CREATE TABLE texts (text TEXT) STRICT')
    const writer = new Writer(db)
    for (let n = 0; n < 12; n++)
      await writer.write(() =>
        db.run('INSERT INTO texts (text) VALUES (?)', 'x'.repeat(1024 * 1024)),
      )
    const last = writer.write(() => db.run('INSERT INTO things (name) VALUES (?)', 'last'))
    await writer.close()
    await last
    const size = () => statSync(join(folder, 'long.db')).size
    expect(size()).toBeGreaterThan(3 * 1024 * 1024)
    expect(names()).toEqual(['last'])
    db.close()
    expect(size()).toBeGreaterThan(12 * 1024 * 1024)
    expect(existsSync(join(folder, 'long.db-wal'))).toBe(false)
  })
})

test('a lock of another process is waited for without blocking the event loop', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-locked-'))
  const path = join(folder, 'locked.db')
  const db = openDatabase({ path })
  const other = openDatabase({ path })
  try {
    db.exec('CREATE TABLE things (name TEXT PRIMARY KEY) STRICT')
    const writer = new Writer(db)
    other.exec('BEGIN IMMEDIATE')
    const begunMs = performance.now()
    let answered = false
    const write = writer
      .write(() => db.run('INSERT INTO things (name) VALUES (?)', 'a'))
      .then(() => (answered = true))
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
    expect(answered).toBe(false)
    expect(performance.now() - begunMs).toBeLessThan(1000)
    other.exec('ROLLBACK')
    await write
    expect(db.all('SELECT name FROM things')).toEqual([{ name: 'a' }])
    await writer.close()
  } finally {
    other.raw.close()
    db.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a reader that stops early gives up its statement', () => {
  const db = openDatabase({ path: ':memory:' })
  db.exec('CREATE TABLE n (x INTEGER) STRICT')
  db.exec('INSERT INTO n VALUES (1), (2), (3)')
  const seen: number[] = []
  for (const { x } of db.each<{ x: number }>('SELECT x FROM n WHERE x > ?', 1)) {
    seen.push(x, ...db.all<{ x: number }>('SELECT x FROM n WHERE x > ?', 1).map((row) => row.x))
    break
  }
  expect(seen).toEqual([2, 2, 3])
  expect([...db.each('SELECT x FROM n')]).toHaveLength(3)
  // SQLite refuses this while a statement still reads the table.
  db.exec('DROP TABLE n')
  db.close()
})
