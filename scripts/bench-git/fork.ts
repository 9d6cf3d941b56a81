/** What a pull request's fork costs: the time of making it, the processor's and the caller's, and what it adds to the disk. */
import { Database } from 'bun:sqlite'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { median } from '../bench/wrk.ts'
import { cpuOf } from './processes.ts'
import type { Repository } from './repositories.ts'
import type { Hearth } from './servers.ts'

/** What a database holds with what its write-ahead log adds to it: the file alone grows when the log is written back, whoever wrote it. */
function bytesOf(database: string): number {
  const db = new Database(database, { readonly: true })
  try {
    const { size } = db.query<{ size: number }, []>('SELECT page_count * page_size AS size FROM pragma_page_count, pragma_page_size').get() ?? { size: 0 }
    return size
  } finally {
    db.close()
  }
}

function bytesBelow(path: string): number {
  let total = 0
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const below = join(path, entry.name)
    if (entry.isDirectory()) total += bytesBelow(below)
    else if (entry.name.endsWith('.db')) total += bytesOf(below)
    else if (!/-(wal|shm)$/.test(entry.name)) total += statSync(below).size
  }
  return total
}

const FORKS = 200

export async function forkCost(hearth: Hearth, { name }: Repository): Promise<string> {
  const data = join(hearth.directory(name), '..', '..')
  const make = (at: number) => hearth.api('POST', `/repos/acme/${name}/pulls`, { title: `change ${at}` })
  await make(0)
  const before = bytesBelow(hearth.directory(name))
  const whole = bytesBelow(data)
  const times: number[] = []
  const used = cpuOf(hearth.pid)
  for (let at = 1; at <= FORKS; at++) {
    const began = performance.now()
    await make(at)
    times.push(performance.now() - began)
  }
  const cpu = ((cpuOf(hearth.pid) - used) * 1000) / FORKS
  const objects = bytesBelow(hearth.directory(name)) - before
  const all = (bytesBelow(data) - whole) / FORKS
  return `${name}: a pull request with its fork took ${median(times).toFixed(1)} ms (most ${Math.max(...times).toFixed(1)}) and ${cpu.toFixed(1)} ms of the processor; ${objects} bytes of objects for ${FORKS}, ${(all / 1024).toFixed(1)} KB of the data directory each`
}
