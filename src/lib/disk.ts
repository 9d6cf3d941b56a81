/**
 * What a file system is asked beside its files: how much room it has, and to keep the names in a
 * directory.
 */
import { closeSync, fsyncSync, openSync, readdirSync, statfsSync } from 'node:fs'
import { open } from 'node:fs/promises'

/**
 * Bytes that this process may still write where a path is; without a limit where that cannot be
 * asked.
 */
export function bytesFree(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path)
    return bavail * bsize
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

/** The names in a directory; none where there is none, or it cannot be read. */
export function namesIn(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

/**
 * Whether an error of the system says that nothing more may be written: no space, no quota, or a
 * file system that is only read.
 */
export const refusesWrites = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT', 'EROFS'].includes(String((error as { code?: unknown } | null)?.code))

// Windows cannot open directories; its file system keeps renames in order by itself.
const CAN_SYNC = process.platform !== 'win32'

/** The names in a directory are on disk when it resolves (fsync(2)). */
export async function syncDirectory(path: string): Promise<void> {
  if (!CAN_SYNC) return
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

/** The same for those who cannot wait. */
export function syncDirectorySync(path: string): void {
  if (!CAN_SYNC) return
  const directory = openSync(path, 'r')
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}
