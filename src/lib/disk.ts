/** File systems: free space, listings, full disks and syncing of directories. */
import type { FileHandle } from 'node:fs/promises'
import { closeSync, fsync, fsyncSync, openSync, readdirSync, statfsSync } from 'node:fs'

/** Free bytes of the file system of a path; infinite when the system does not tell. */
export function bytesFree(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path)
    return bavail * bsize
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

/** The names in a directory; none when it does not exist or cannot be read. */
export function namesIn(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

/** Whether an error of the system means no space, no quota, or a read-only file system. */
export const refusesWrites = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT', 'EROFS'].includes(String((error as { code?: unknown } | null)?.code))

/**
 * Writes all bytes to a file, at `position` or else where the last write ended. A disk that is
 * almost full takes a part of a write and reports no error.
 */
export async function writeFully(
  file: FileHandle,
  bytes: Uint8Array,
  position: number | null = null,
): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const to = position === null ? null : position + at
    at += (await file.write(bytes, at, bytes.length - at, to)).bytesWritten
  }
}

// Windows cannot open directories. NTFS journals renames itself.
const CAN_SYNC = process.platform !== 'win32'

/** Syncs a directory, so that new names and renames in it are on disk (fsync(2)). */
export async function syncDirectory(path: string): Promise<void> {
  if (!CAN_SYNC) return
  const directory = openSync(path, 'r')
  try {
    await new Promise<void>((resolve, reject) => {
      fsync(directory, (error) => {
        if (error) reject(error)
        else resolve()
      })
    })
  } finally {
    closeSync(directory)
  }
}

/** Syncs a directory synchronously. */
export function syncDirectorySync(path: string): void {
  if (!CAN_SYNC) return
  const directory = openSync(path, 'r')
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}
