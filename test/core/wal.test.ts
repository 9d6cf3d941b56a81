import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase, Writer } from '#core/db.ts'

const folder = mkdtempSync(join(tmpdir(), 'hearth-wal-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const MIB = 1024 ** 2
const TEXT = 'x'.repeat(MIB / 2)

function open(name: string) {
  const path = join(folder, name)
  const db = openDatabase({ path })
  db.exec('CREATE TABLE texts (text TEXT) STRICT')
  const writer = new Writer(db)
  const log = () => statSync(`${path}-wal`).size / MIB
  /**
   * Writes so many MiB without a pause, by several who each wait for their own. Gives the largest
   * size of the log.
   */
  const write = async (mib: number): Promise<number> => {
    let [most, left] = [0, mib * 2]
    const one = async () => {
      while (left-- > 0) {
        await writer.write(() => db.run('INSERT INTO texts (text) VALUES (?)', TEXT))
        most = Math.max(most, log())
      }
    }
    await Promise.all([one(), one(), one()])
    return most
  }
  const close = async () => {
    await writer.close()
    db.close()
  }
  return { path, db, writer, log, write, close }
}

test('continuous writes do not let the log grow, and none is lost', async () => {
  const { path, db, write, close } = open('burst.db')
  expect(await write(100)).toBeLessThan(40)
  expect(db.one<{ n: number }>('SELECT count(*) AS n FROM texts')).toEqual({ n: 200 })
  await close()
  const again = new Database(path, { readonly: true })
  expect(again.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
  again.close()
}, 120_000)

test('during a long read the log grows and writes go on; afterwards it shrinks', async () => {
  const { path, log, write, close } = open('reader.db')
  await write(1)
  const reader = new Database(path, { readonly: true })
  reader.run('BEGIN')
  const read = () => reader.query<{ n: number }, []>('SELECT count(*) AS n FROM texts').get()
  expect(read()).toEqual({ n: 2 })
  expect(await write(70)).toBeGreaterThan(60)
  expect(read()).toEqual({ n: 2 })
  reader.run('COMMIT')
  expect(read()).toEqual({ n: 142 })
  reader.close()
  // What was asked for while it was read is taken over with one of the next writes, which begins
  // the log anew.
  for (let n = 0; n < 200 && log() > 40; n++) await write(1)
  expect(log()).toBeLessThan(40)
  await close()
}, 120_000)
