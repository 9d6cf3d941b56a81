/**
 * The lock files of a commit and the packages in them. Both are cached: the list for each commit,
 * and the packages for each content of a file, so a push reads only the files that it changed.
 */
import type { Hearth } from '#core/hearth.ts'
import { historyCache } from '#features/repos/index.ts'
import { GitError, type Oid, type TreeEntry } from '#git'
import type { Ecosystem, LockedPackage } from '#lib/lock-files/locked-packages.ts'
import { MAX_LOCK_FILE_BYTES } from '#lib/lock-files/locked-packages.ts'
import {
  isLockFile,
  LOCK_FILE_NAMES,
  MANIFEST_NAMES,
  manifestPath,
} from '#lib/lock-files/read-lock-file.ts'
import { lockFileThread } from './lock-file-thread.ts'

/** A commit with more has the others left out, the deepest first. */
export const MAX_LOCK_FILES = 300
const MAX_TOTAL_BYTES = 64 * 1024 ** 2
const MAX_TOTAL_PACKAGES = 100_000
/** Folders with copies of the code of others. */
const VENDORED = /(?:^|\/)(?:node_modules|bower_components|vendor|third_party)\//

type LockFileEntry = {
  readonly path: string
  readonly oid: Oid
  readonly size: number
  /** The file beside it that says what the project asks for. */
  readonly manifest: Oid | null
}

export type LockFile = {
  readonly path: string
  readonly oid: Oid
  /** Null for a file that cannot be read. */
  readonly ecosystem: Ecosystem | null
  readonly packages: readonly LockedPackage[]
  readonly fault: string | null
}

const depthOf = ({ path }: LockFileEntry): number => path.split('/').length

function lockFileEntries(entries: readonly TreeEntry[]): LockFileEntry[] {
  const files = entries.filter(({ type, path }) => type === 'file' && !VENDORED.test(path))
  const oids = new Map(files.map(({ path, oid }) => [path, oid]))
  return files
    .filter(({ path }) => isLockFile(path))
    .map(({ path, oid, size }) => {
      const manifest = manifestPath(path)
      return {
        path,
        oid,
        size: size ?? 0,
        manifest: manifest === null ? null : (oids.get(manifest) ?? null),
      }
    })
    .sort((a, b) => depthOf(a) - depthOf(b) || (a.path < b.path ? -1 : 1))
    .slice(0, MAX_LOCK_FILES)
}

async function listLockFiles(
  hearth: Hearth,
  store: string,
  commit: Oid,
): Promise<readonly LockFileEntry[]> {
  const cache = historyCache(hearth)
  const known = cache.find('lock_files', store, '', commit) as readonly LockFileEntry[] | null
  if (known) return known
  const names = [...LOCK_FILE_NAMES, ...MANIFEST_NAMES]
  const entries = await hearth.git
    .listTree(store, commit, '', { recursive: true, sizes: true, names })
    .catch((error: unknown) => {
      if (error instanceof GitError && error.code === 'too_large') return []
      throw error
    })
  const files = lockFileEntries(entries ?? [])
  cache.put('lock_files', store, '', commit, files)
  return files
}

/** The first bytes of a file, one more than are read, so that a larger one is refused. */
async function bytesOf(hearth: Hearth, store: string, oid: Oid): Promise<Uint8Array> {
  const blob = await hearth.git.readBlob(store, oid, MAX_LOCK_FILE_BYTES + 1)
  return blob?.data ?? new Uint8Array()
}

type Content = Omit<LockFile, 'path' | 'oid'>

async function readContent(
  hearth: Hearth,
  store: string,
  { path, oid, manifest }: LockFileEntry,
  signal: AbortSignal,
): Promise<Content> {
  const cache = historyCache(hearth)
  const key = `${oid}${manifest ?? ''}`
  const known = cache.find('locked_packages', store, path, key) as Content | null
  if (known) return known
  const source = {
    path,
    data: await bytesOf(hearth, store, oid),
    manifest: manifest === null ? null : await bytesOf(hearth, store, manifest),
  }
  const response = await lockFileThread(hearth).read(source, signal)
  const content: Content =
    'fault' in response
      ? { ecosystem: null, packages: [], fault: response.fault }
      : { ...response, fault: null }
  cache.put('locked_packages', store, path, key, content)
  return content
}

const leftOut = (why: string): Content => ({
  ecosystem: null,
  packages: [],
  fault: `is left out: ${why}`,
})

/** The lock files of a commit with their packages, those at the root first. */
export async function readLockFiles(
  hearth: Hearth,
  store: string,
  commit: Oid,
  signal: AbortSignal,
): Promise<LockFile[]> {
  const files: LockFile[] = []
  let [bytes, packages] = [0, 0]
  for (const entry of await listLockFiles(hearth, store, commit)) {
    signal.throwIfAborted()
    bytes += entry.size
    const content =
      bytes > MAX_TOTAL_BYTES
        ? leftOut('the files before it have 64 MiB')
        : await readContent(hearth, store, entry, signal)
    packages += content.packages.length
    const counted =
      packages > MAX_TOTAL_PACKAGES
        ? leftOut(`the files up to it have more than ${MAX_TOTAL_PACKAGES} packages`)
        : content
    files.push({ path: entry.path, oid: entry.oid, ...counted })
  }
  return files
}
