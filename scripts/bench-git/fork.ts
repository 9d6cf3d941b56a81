/** What a pull request's fork costs: the time of making it and what it adds to the disk. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { median } from '../bench/wrk.ts'
import type { Repository } from './repositories.ts'
import type { Hearth } from './servers.ts'

function bytesBelow(path: string): number {
  let total = 0
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const below = join(path, entry.name)
    // The write-ahead log is emptied as it goes: what stays is in the database.
    if (!entry.name.endsWith('-wal')) total += entry.isDirectory() ? bytesBelow(below) : statSync(below).size
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
  for (let at = 1; at <= FORKS; at++) {
    const began = performance.now()
    await make(at)
    times.push(performance.now() - began)
  }
  const objects = bytesBelow(hearth.directory(name)) - before
  const all = (bytesBelow(data) - whole) / FORKS
  return `${name}: a pull request with its fork took ${median(times).toFixed(1)} ms (most ${Math.max(...times).toFixed(1)}); ${objects} bytes of objects for ${FORKS}, ${(all / 1024).toFixed(1)} KB of the data directory each`
}
