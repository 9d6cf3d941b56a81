/**
 * Where files are while they come back, and for a moment when they leave: each belongs to the
 * process whose number it begins with.
 */
import { randomToken } from '#lib/hash.ts'
import { isAlive } from '#lib/process.ts'
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const INCOMING = 'tmp/bucket'

/** A path for a new file, on the same file system as what it will become. */
export function newIncoming(data: string): string {
  const folder = join(data, INCOMING)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return join(folder, `${process.pid}-${randomToken(16)}`)
}

/** Takes away what processes that ended left there. */
export function sweepIncoming(data: string): void {
  const folder = join(data, INCOMING)
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const pid = Number.parseInt(name, 10)
    if (Number.isNaN(pid) || pid === process.pid || !isAlive(pid))
      rmSync(join(folder, name), { force: true })
  }
}
