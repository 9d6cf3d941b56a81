/** Temporary files of downloads and evictions. Each name starts with the id of its process. */
import { randomToken } from '#lib/hash.ts'
import { isAlive } from '#lib/process.ts'
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const INCOMING = 'tmp/bucket'

/** Returns a path for a new file, on the file system of its destination. */
export function newIncoming(data: string): string {
  const folder = join(data, INCOMING)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return join(folder, `${process.pid}-${randomToken(16)}`)
}

/** Deletes files of processes that have ended. */
export function sweepIncoming(data: string): void {
  const folder = join(data, INCOMING)
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const pid = Number.parseInt(name, 10)
    if (Number.isNaN(pid) || pid === process.pid || !isAlive(pid))
      rmSync(join(folder, name), { force: true })
  }
}
