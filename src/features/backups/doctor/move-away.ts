/** Taking something out of the way without destroying it: whoever is sure deletes the folder. */
import { mkdirSync, renameSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/**
 * Moves a file or folder of the data directory below `lost/<day>/`, at the path that it had. Gives
 * where it is now.
 */
export function moveAway(data: string, path: string, now: string): string {
  const folder = join(data, 'lost', now.slice(0, 10), dirname(path))
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const to = join(folder, basename(path))
  renameSync(join(data, path), to)
  return to
}
