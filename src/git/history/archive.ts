/** `git archive`: a tree as a zip or tar, in git's order, with the commit's time on every entry. */
import { MODE } from '../object.ts'
import { GitError, type ObjectReader, type Oid } from '../ports.ts'
import { commitSource } from './commit-source.ts'
import { walkTree } from './list-tree.ts'
import { baseKey, splitPath, type PathKey } from './names.ts'
import { TarWriter } from './tar.ts'
import { entryAt, isDir, readBlob, treeOf } from './tree.ts'
import { ZipWriter } from './zip.ts'

export type ArchiveEntry = {
  /** Includes the prefix; directories end in a slash. */
  readonly path: PathKey
  readonly kind: 'file' | 'executable' | 'dir' | 'symlink'
  readonly oid: Oid
  /** A file's bytes or a link's target. */
  readonly data: Uint8Array
}

export interface ArchiveWriter {
  begin(): Generator<Uint8Array, void>
  entry(entry: ArchiveEntry): Generator<Uint8Array, void>
  end(): Generator<Uint8Array, void>
}

const nothing = new Uint8Array(0)

/**
 * Yields the chunks of a zip or tar of a commit's tree below the folder `prefix` ('' for none).
 * `path` selects one directory or file, with its full path, like `git archive <commit> <path>`.
 * Submodules are empty directories. One file is in memory at a time. Throws GitError `missing` for
 * an unknown commit or path.
 */
export function* archive(
  db: ObjectReader,
  commit: Oid,
  options: { format: 'zip' | 'tar'; prefix: string; path?: string },
): Generator<Uint8Array, void> {
  const isCommit = db.header(commit)?.type === 'commit'
  const time = isCommit ? commitSource(db).get(commit).time : 0
  const writer =
    options.format === 'zip'
      ? new ZipWriter(isCommit ? commit : '', time)
      : new TarWriter(isCommit ? commit : '', time)
  const tree = treeOf(db, commit)
  const prefix = folder(options.prefix)
  yield* writer.begin()
  if (prefix) yield* writer.entry({ path: prefix, kind: 'dir', oid: tree, data: nothing })
  for (const { path, mode, oid } of contents(
    db,
    tree,
    splitPath(options.path ?? ''),
    options.path ?? '',
  )) {
    yield* writer.entry(toEntry(db, prefix + path, mode, oid))
  }
  yield* writer.end()
}

function folder(prefix: string): PathKey {
  const segments = splitPath(prefix)
  if (segments.some((segment) => segment === '..' || segment === '.'))
    throw new GitError('invalid', `bad archive prefix ${prefix}`)
  return segments.length === 0 ? '' : `${segments.join('/')}/`
}

function* contents(
  db: ObjectReader,
  tree: Oid,
  segments: readonly PathKey[],
  asked: string,
): Generator<{ path: PathKey; mode: number; oid: Oid }, void> {
  const entry = entryAt(db, tree, segments)
  if (!entry) throw new GitError('missing', `no path ${asked} in ${tree}`)
  for (let i = 1; i <= segments.length; i++) {
    const above = segments.slice(0, i)
    const found = entryAt(db, tree, above)
    if (found) yield { path: above.join('/'), ...found }
  }
  if (!isDir(entry.mode)) return
  for (const { path, entry: below } of walkTree(db, entry.oid, segments.join('/'))) {
    // Such a name would unpack outside the archive's folder. Pushes with such names are refused,
    // but imported trees may contain them.
    if (baseKey(path) === '..' || baseKey(path) === '.' || baseKey(path) === '')
      throw new GitError('corrupt', `tree ${tree} has a bad name`)
    yield { path, ...below }
  }
}

function toEntry(db: ObjectReader, path: PathKey, mode: number, oid: Oid): ArchiveEntry {
  switch (mode) {
    case MODE.dir:
    case MODE.submodule:
      return { path: `${path}/`, kind: 'dir', oid, data: nothing }
    case MODE.symlink:
      return { path, kind: 'symlink', oid, data: readBlob(db, oid) }
    default:
      return {
        path,
        kind: mode === MODE.executable ? 'executable' : 'file',
        oid,
        data: readBlob(db, oid),
      }
  }
}
