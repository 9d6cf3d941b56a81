/**
 * What a pull request's fork costs: the time of making it, the processor's and the caller's, and
 * what it adds to the disk.
 */
import { Database } from 'bun:sqlite'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { median } from '../forge/wrk.ts'
import { cpuOf } from './processes.ts'
import type { Repository } from './repositories.ts'
import type { Hearth } from './servers.ts'

/**
 * What a database holds with what its write-ahead log adds to it: the file alone grows when the log
 * is written back, whoever wrote it.
 */
function bytesOf(database: string): number {
  const db = new Database(database, { readonly: true })
  try {
    const { size } = db
      .query<{ size: number }, []>(
        'SELECT page_count * page_size AS size FROM pragma_page_count, pragma_page_size',
      )
      .get() ?? { size: 0 }
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

/**
 * What the repository's push set off (its index for searches, its order) is no part of what comes:
 * waits until nothing goes on.
 */
async function quiet(hearth: Hearth): Promise<void> {
  for (let waited = 0; waited < 300; waited++) {
    const used = cpuOf(hearth.pid)
    await Bun.sleep(1000)
    if (cpuOf(hearth.pid) - used <= 0.03) return
  }
}

const FORKS = 200

export async function forkCost(hearth: Hearth, { name, branch }: Repository): Promise<string> {
  const data = join(hearth.directory(name), '..', '..')
  const make = (at: number) =>
    hearth.api('POST', `/repos/acme/${name}/pulls`, { title: `change ${at}`, base: branch })
  await make(0)
  await quiet(hearth)
  const before = bytesBelow(hearth.directory(name))
  const database = bytesOf(join(data, 'hearth.db'))
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
  const kilobytes = (bytes: number): string => (bytes / FORKS / 1024).toFixed(1)
  const rows = kilobytes(bytesOf(join(data, 'hearth.db')) - database)
  await quiet(hearth)
  return `${name}: a pull request with its fork took ${median(times).toFixed(1)} ms (most ${Math.max(...times).toFixed(1)}) and ${cpu.toFixed(1)} ms of the processor; ${objects} bytes of objects for ${FORKS}, ${rows} KB of rows each, ${kilobytes(bytesBelow(data) - whole)} KB with what is found by searches`
}
