/**
 * Moves files out of the way without deleting them. An administrator can delete the folder later.
 */
import { mkdirSync, renameSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/**
 * Moves a file or folder of the data directory below `lost/<day>/`, keeping its path. Returns the
 * new path.
 */
export function moveAway(data: string, path: string, now: string): string {
  const folder = join(data, 'lost', now.slice(0, 10), dirname(path))
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const to = join(folder, basename(path))
  renameSync(join(data, path), to)
  return to
}
