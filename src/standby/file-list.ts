/**
 * Which files of a data directory the standby needs, and how they are compared. Everything is sent
 * that is not known to be of this machine, temporary, or built from the rest.
 */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Entries at the top of a data directory that stay on their machine. */
const EXCLUDED = new Set([
  'hearth.toml',
  'tmp',
  'backups',
  'outbox',
  'lost',
  'lost+found',
  'standby',
  'storage.id',
])
/** Databases: the forge's arrives as commits, and the others are built from it. */
const DATABASE = /^[^/]+\.db(-wal|-shm|-journal|\.rolling-back)?$/
/** Files that are being written, and marks of work that runs on one machine only. */
const TEMPORARY = /\.(partial|pending|new)$|^\.restoring|^tmp_/
/** Named by content or at random: the same name and size means the same bytes. */
const IMMUTABLE =
  /^(repos\/[^/]+\/objects\/pack\/pack-[0-9a-f]{40}\.(pack|idx|rev|mtimes)|blobs\/[0-9a-f]{2}\/[0-9a-f]{64})$/

/** One file: its name, size, time in milliseconds and mode. */
export type FileEntry = readonly [name: string, size: number, modified_ms: number, mode: number]

/** The files of one directory, relative to the data; `whole` when it names all of them. */
export type DirectoryListing = {
  readonly directory: string
  readonly files: readonly FileEntry[]
  readonly folders: readonly string[]
  readonly whole: boolean
}

export const isSent = (path: string): boolean => {
  const [top = ''] = path.split('/', 1)
  return !EXCLUDED.has(top) && !DATABASE.test(path) && !TEMPORARY.test(path.split('/').at(-1) ?? '')
}

/** Whether a relative path stays below the directory that it is joined to. */
export const isInside = (path: string): boolean =>
  path === '' ||
  (!/[\\\0]/.test(path) && path.split('/').every((part) => !['', '.', '..'].includes(part)))

export const joinPath = (directory: string, name: string): string =>
  directory === '' ? name : `${directory}/${name}`

export const isSameFile = (path: string, here: FileEntry, there: FileEntry): boolean =>
  here[1] === there[1] && (IMMUTABLE.test(path) || here[2] === there[2])

/** The entry of a file; null when it is gone. */
export async function entryOf(data: string, path: string): Promise<FileEntry | null> {
  const found = await stat(join(data, path)).catch(() => null)
  if (!found?.isFile()) return null
  const name = path.slice(path.lastIndexOf('/') + 1)
  return [name, found.size, Math.floor(found.mtimeMs), found.mode & 0o777]
}

/** The sent files of a directory; null when there is no such directory. */
export async function listDirectory(
  data: string,
  directory: string,
): Promise<DirectoryListing | null> {
  const entries = await readdir(join(data, directory), { withFileTypes: true }).catch(() => null)
  if (entries === null) return null
  const sent = entries.filter(({ name }) => isSent(joinPath(directory, name)))
  const files: FileEntry[] = []
  for (const entry of sent.filter((one) => one.isFile())) {
    const found = await entryOf(data, joinPath(directory, entry.name))
    if (found) files.push(found)
  }
  const folders = sent.filter((one) => one.isDirectory()).map(({ name }) => name)
  return { directory, files, folders, whole: true }
}

/** Listings of all directories below one, parents first. */
export async function* walkDirectories(
  data: string,
  directory = '',
  isSkipped: (directory: string) => boolean = () => false,
): AsyncGenerator<DirectoryListing> {
  const listing = await listDirectory(data, directory)
  if (listing === null) return
  yield listing
  for (const name of listing.folders) {
    const inner = joinPath(directory, name)
    if (!isSkipped(inner)) yield* walkDirectories(data, inner, isSkipped)
  }
}

/** An index follows its pack, so that no pack looks complete before it is. */
export const inSendingOrder = (names: readonly string[]): string[] =>
  names.toSorted((a, b) => Number(a.endsWith('.idx')) - Number(b.endsWith('.idx')))
