/** The least that a publish takes here: its file and a row, each on disk before the next. */
import { Database } from 'bun:sqlite'
import { closeSync, fsync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Cost } from './measure.ts'

const FILE_BYTES = 700
const ROW_BYTES = 500

const sync = (file: number): Promise<void> =>
  new Promise((resolve, reject) => fsync(file, (error) => (error ? reject(error) : resolve())))

async function writeFile(directory: string, name: string): Promise<void> {
  const file = openSync(join(directory, 'incoming', name), 'wx')
  writeSync(file, new Uint8Array(FILE_BYTES))
  await sync(file)
  closeSync(file)
  renameSync(join(directory, 'incoming', name), join(directory, 'files', name))
  const folder = openSync(join(directory, 'files'), 'r')
  await sync(folder)
  closeSync(folder)
}

/** Seconds for so many of them, in this process: without HTTP, JSON, digests and indexes. */
export async function costOfFloor(directory: string, count: number): Promise<Cost> {
  for (const name of ['incoming', 'files']) mkdirSync(join(directory, name), { recursive: true })
  const db = new Database(join(directory, 'rows'))
  db.run('PRAGMA journal_mode = WAL')
  db.run('PRAGMA synchronous = NORMAL')
  db.run('CREATE TABLE rows (name TEXT PRIMARY KEY, data TEXT)')
  const insert = db.prepare('INSERT INTO rows VALUES (?, ?)')
  const log = openSync(join(directory, 'rows-wal'), 'r+')
  const before = process.cpuUsage()
  const began = performance.now()
  for (let at = 0; at < count; at++) {
    await writeFile(directory, `file-${at}`)
    insert.run(`file-${at}`, 'x'.repeat(ROW_BYTES))
    await sync(log)
  }
  const wall = (performance.now() - began) / 1000
  const { user, system } = process.cpuUsage(before)
  closeSync(log)
  insert.finalize()
  db.close()
  rmSync(directory, { recursive: true, force: true })
  return { cpu: (user + system) / 1e6, wall }
}
