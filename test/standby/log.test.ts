import { afterEach, expect, test } from 'bun:test'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { emptyLog, openDatabase, type DatabaseHandle } from '#core/db.ts'
import { FRAME_HEADER_BYTES, HEADER_BYTES, isPageSize } from '#src/standby/wal-format.ts'
import { LogGap, WalTail } from '#src/standby/wal-tail.ts'
import { WalWriter } from '#src/standby/wal-writer.ts'

const directories: string[] = []
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true })
})

const PAGE = 8192
const versionOf = (db: DatabaseHandle) => () =>
  db.one<{ data_version: number }>('PRAGMA data_version')?.data_version ?? 0

/** A database with a table, a copy of it, and a tail at its end. */
function makePair() {
  const directory = mkdtempSync(join(tmpdir(), 'hearth-log-'))
  directories.push(directory)
  const path = join(directory, 'hearth.db')
  const db = openDatabase({ path })
  db.exec('PRAGMA wal_autocheckpoint = 0')
  db.exec('CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT) STRICT')
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  const copy = join(directory, 'copy.db')
  copyFileSync(path, copy)
  const tail = new WalTail(`${path}-wal`, versionOf(db))
  tail.start()
  return { path, db, copy, tail }
}

/** Runs one transaction as the Writer does, and gives the frames that the tail read. */
function commit(db: DatabaseHandle, tail: WalTail, run: () => void): Uint8Array[] {
  db.exec('BEGIN IMMEDIATE')
  const earlier = tail.readEarlier()
  run()
  db.exec('COMMIT')
  return [...earlier, ...tail.readCommitted()]
}

const textsOf = (path: string): string[] => {
  const db = openDatabase({ path })
  try {
    return db.all<{ text: string }>('SELECT text FROM notes ORDER BY id').map(({ text }) => text)
  } finally {
    db.close()
  }
}

test('the copy has each commit, also those after the log has restarted', async () => {
  const { db, copy, tail } = makePair()
  const writer = new WalWriter(copy, PAGE, emptyLog)
  for (let at = 0; at < 40; at++) {
    const frames = commit(db, tail, () =>
      db.run('INSERT INTO notes (text) VALUES (?)', `${at} ${'x'.repeat(at * 700)}`),
    )
    expect(frames.length).toBeGreaterThan(0)
    for (const piece of frames) await writer.append(piece)
    // Every page is in the database file now, so the next commit restarts the log.
    if (at % 7 === 0) db.exec('PRAGMA wal_checkpoint(PASSIVE)')
  }
  const expected = db.all<{ text: string }>('SELECT text FROM notes ORDER BY id')
  await writer.close()
  expect(textsOf(copy)).toEqual(expected.map(({ text }) => text))
  tail.close()
  db.close()
})

test('commits of another process are read before the next of this one', async () => {
  const { path, db, copy, tail } = makePair()
  const writer = new WalWriter(copy, PAGE, emptyLog)
  for (const piece of commit(db, tail, () =>
    db.run('INSERT INTO notes (text) VALUES (?)', 'first'),
  ))
    await writer.append(piece)
  const other = openDatabase({ path, isShared: true })
  other.run('INSERT INTO notes (text) VALUES (?)', 'from a command')
  other.close()
  expect(tail.isBehind()).toBe(true)
  const frames = commit(db, tail, () => db.run('INSERT INTO notes (text) VALUES (?)', 'from here'))
  for (const piece of frames) await writer.append(piece)
  await writer.close()
  expect(textsOf(copy)).toEqual(['first', 'from a command', 'from here'])
  expect(tail.isBehind()).toBe(false)
  tail.close()
  db.close()
})

test('a log that another process restarted is a gap', () => {
  const { path, db, tail } = makePair()
  commit(db, tail, () => db.run('INSERT INTO notes (text) VALUES (?)', 'one'))
  const other = openDatabase({ path })
  other.run('INSERT INTO notes (text) VALUES (?)', 'unseen')
  other.close()
  expect(() => commit(db, tail, () => {})).toThrow(LogGap)
  db.exec('ROLLBACK')
  tail.close()
  db.close()
})

test('a log that is cut off anywhere opens at an earlier commit', async () => {
  const { db, copy, tail } = makePair()
  const writer = new WalWriter(copy, PAGE, emptyLog)
  const ends = [HEADER_BYTES]
  for (let at = 0; at < 5; at++) {
    // Several pages in each, so that there are cuts within a transaction.
    const frames = commit(db, tail, () =>
      db.run('INSERT INTO notes (text) VALUES (?)', `${at}${'y'.repeat(3 * PAGE)}`),
    )
    for (const piece of frames) await writer.append(piece)
    ends.push(readFileSync(`${copy}-wal`).length)
  }
  const [whole, base] = [readFileSync(`${copy}-wal`), readFileSync(copy)]
  const frameBytes = FRAME_HEADER_BYTES + PAGE
  for (let length = HEADER_BYTES; length <= whole.length; length += frameBytes / 2) {
    const cut = `${copy}.cut`
    writeFileSync(cut, base)
    writeFileSync(`${cut}-wal`, whole.subarray(0, length))
    rmSync(`${cut}-shm`, { force: true })
    const commits = ends.filter((end) => end <= length).length - 1
    expect(textsOf(cut).map((text) => text[0])).toEqual(['0', '1', '2', '3', '4'].slice(0, commits))
  }
  await writer.close()
  tail.close()
  db.close()
})

test('many transactions are read in large pieces, and one that is larger as a whole', async () => {
  const { db, copy, tail } = makePair()
  for (let at = 0; at < 400; at++)
    db.run('INSERT INTO notes (text) VALUES (?)', `${at} ${'v'.repeat(PAGE)}`)
  db.run('INSERT INTO notes (text) VALUES (?)', 'w'.repeat(3 * 1024 ** 2))
  db.run('INSERT INTO notes (text) VALUES (?)', 'last')
  const pieces: Uint8Array[] = []
  for (let piece = tail.readHeld(); piece !== null; piece = tail.readHeld()) pieces.push(piece)
  const sizes = pieces.map(({ length }) => length)
  expect(Math.max(...sizes)).toBeGreaterThan(3 * 1024 ** 2)
  expect(pieces.length).toBeLessThan(20)
  const writer = new WalWriter(copy, PAGE, emptyLog)
  for (const piece of pieces) await writer.append(piece)
  await writer.close()
  expect(textsOf(copy)).toHaveLength(402)
  expect(textsOf(copy).at(-1)).toBe('last')
  tail.close()
  db.close()
})

test('frames that do not end a transaction are refused', async () => {
  const { db, copy, tail } = makePair()
  const writer = new WalWriter(copy, PAGE, emptyLog)
  const [piece] = commit(db, tail, () =>
    db.run('INSERT INTO notes (text) VALUES (?)', 'z'.repeat(3 * PAGE)),
  )
  const half = (piece as Uint8Array).slice(0, FRAME_HEADER_BYTES + PAGE)
  await expect(writer.append(half)).rejects.toThrow('not whole')
  tail.close()
  db.close()
})

test('a page size that no database has is refused, so that no frame has a length of zero', () => {
  expect([512, 4096, 8192, 65_536].filter((size) => !isPageSize(size))).toEqual([])
  expect([-24, 0, 256, 1000, 131_072, Number.NaN, '4096', null].filter(isPageSize)).toEqual([])
})
