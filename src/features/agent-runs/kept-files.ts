/**
 * Files that a command wrote and that stay. The command may have put anything there, so no link is
 * followed, and nothing but regular files is read. The command has ended by now.
 */
import { constants } from 'node:fs'
import { lstat, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { MAX_FILE_BYTES } from './files.ts'
import { ToolError } from './tool.ts'

export const MAX_KEPT_FILES = 20

/** Whether all folders above a path are folders, not links. */
async function hasPlainParents(root: string, path: string): Promise<boolean> {
  const parent = dirname(path)
  if (parent === '.') return true
  const entry = await lstat(join(root, parent)).catch(() => null)
  return entry?.isDirectory() === true && (await hasPlainParents(root, parent))
}

/** The content of a file below a folder; null when there is none. Throws for what is not kept. */
async function readKept(root: string, path: string): Promise<Uint8Array | null> {
  if (!(await hasPlainParents(root, path))) return null
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const file = await open(join(root, path), flags).catch(() => null)
  if (!file) return null
  try {
    const entry = await file.stat()
    const { size } = entry
    if (!entry.isFile()) throw new ToolError(`${path} is not a file, so it is not kept`)
    if (size > MAX_FILE_BYTES) throw new ToolError(`${path} is larger than 1 MiB`)
    const buffer = Buffer.alloc(size)
    const { bytesRead } = await file.read(buffer, 0, size, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/** The named files as they are now; null for those that are not there. */
export async function readKeptFiles(
  root: string,
  paths: readonly string[],
): Promise<Map<string, Uint8Array | null>> {
  const kept = new Map<string, Uint8Array | null>()
  for (const path of paths) kept.set(path, await readKept(root, path))
  return kept
}
