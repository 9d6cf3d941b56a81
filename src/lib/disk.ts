/** How much room a file system has. */
import { statfsSync } from 'node:fs'

/** Bytes that this process may still write where a path is; without a limit where that cannot be asked. */
export function bytesFree(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path)
    return bavail * bsize
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
