/**
 * `git archive`: a tree as a zip or tar, in git's order, with the commit's time on every entry. The
 * attributes of the tree leave out paths (`export-ignore`) and convert files (`export-subst`,
 * `ident`, `eol`). Unlike there, files of Git LFS can take the place of their pointers.
 */
import { TreeAttributes } from '../attributes/index.ts'
import { MODE } from '../object.ts'
import {
  GitError,
  type ArchivedLargeFile,
  type ArchiveOptions,
  type Commit,
  type ObjectReader,
  type Oid,
} from '../ports.ts'
import { commitSource } from './commit-source.ts'
import { convertFile } from './convert-file.ts'
import { describe, type DescribeOptions } from './describe.ts'
import { expandFormats, type FormatContext } from './format-commit.ts'
import { gzip } from './gzip.ts'
import { isLfsPath } from './lfs-pointers.ts'
import { walkTree } from './list-tree.ts'
import { readCommit } from './log.ts'
import { baseKey, splitPath, type PathKey } from './names.ts'
import { TarWriter } from './tar.ts'
import { largeFileContent } from './read-large-file.ts'
import { blobSize, entryAt, isDir, readBlob, treeOf } from './tree.ts'
import { ZipWriter } from './zip.ts'

export type ArchiveEntry = {
  /** Includes the prefix; directories end in a slash. */
  readonly path: PathKey
  readonly kind: 'file' | 'executable' | 'dir' | 'symlink'
  readonly oid: Oid
  /** A file's bytes or a link's target; those of a pointer when there is a large file. */
  readonly data: Uint8Array
  /** A file that is read in pieces, in place of `data`. */
  readonly large?: LargeContent
}

export type LargeContent = {
  readonly size: number
  /** Whether a zip compresses it; files of Git LFS rarely get smaller. */
  readonly deflates: boolean
  /** A piece is valid until the next one is taken; null where the work pauses. */
  pieces(): Iterable<Uint8Array | null>
}

export interface ArchiveWriter {
  begin(): Generator<Uint8Array, void>
  entry(entry: ArchiveEntry): Generator<Uint8Array, void>
  end(): Generator<Uint8Array, void>
}

const nothing = new Uint8Array(0)
/** Larger files are read in pieces. */
const MAX_MEMORY_FILE_BYTES = 4 << 20

/**
 * Yields the chunks of a zip or tar of a commit's tree below the folder `prefix` ('' for none).
 * `path` selects one directory or file, with its full path, like `git archive <commit> <path>`.
 * Submodules are empty directories. One file is in memory at a time, and a piece of a large one. An empty
 * chunk means a pause. Throws GitError `missing` for
 * an unknown commit or path.
 */
export function* archive(
  db: ObjectReader,
  commit: Oid,
  options: ArchiveOptions,
): Generator<Uint8Array, void> {
  const chunks = writeArchive(db, commit, options)
  yield* options.format === 'tar.gz' ? gzip(chunks) : chunks
}

function* writeArchive(
  db: ObjectReader,
  commit: Oid,
  options: ArchiveOptions,
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
  const files = new ExportedFiles(db, tree, isCommit ? readCommit(db, commit) : null, options)
  for (const { path, mode, oid } of files.entries(splitPath(options.path ?? ''))) {
    const entry = toEntry(db, prefix + path, mode, oid)
    const isFile = entry.kind === 'file' || entry.kind === 'executable'
    yield* writer.entry(isFile ? files.convert(path, entry) : entry)
  }
  yield* writer.end()
}

type Found = { readonly path: PathKey; readonly mode: number; readonly oid: Oid }

/** The entries of a tree that an archive has, and the content of its files. */
class ExportedFiles {
  private readonly attributes: TreeAttributes
  private readonly context: FormatContext
  private readonly largeFiles: ReadonlyMap<Oid, ArchivedLargeFile>
  private isDescribed = false

  constructor(
    private readonly db: ObjectReader,
    private readonly tree: Oid,
    private readonly commit: Commit | null,
    private readonly options: ArchiveOptions,
  ) {
    this.largeFiles = new Map(options.largeFiles?.map((file) => [file.blob, file]))
    this.attributes = new TreeAttributes(db, tree)
    this.context = {
      abbreviate: (oid) => abbreviate(db, oid),
      refs: options.refs ?? [],
      head: options.head ?? null,
      now: Math.floor((options.nowMs ?? performance.timeOrigin + performance.now()) / 1000),
      describe: (describeOptions) => this.describe(describeOptions),
    }
  }

  /** Once an archive, as in git, because it walks history; '' for a commit without a tag. */
  private describe(options: DescribeOptions): string | null {
    if (this.commit === null || this.isDescribed) return null
    this.isDescribed = true
    const { db } = this
    const shorten = (oid: Oid, minDigits?: number): string => abbreviate(db, oid, minDigits)
    return describe(db, this.commit.oid, this.options.tags ?? [], options, shorten) ?? ''
  }

  /** Directories are entries only when they have others (`queue_directory` in git's archive.c). */
  *entries(segments: readonly PathKey[]): Generator<Found, void> {
    const directories: Found[] = []
    /** The directory that is left out, with a slash. */
    let ignored: PathKey | null = null
    for (const entry of contents(this.db, this.tree, segments, this.options.path ?? '')) {
      const { path, mode } = entry
      if (ignored !== null && path.startsWith(ignored)) continue
      const isIgnored = this.attributes.of(path, isDir(mode)).get('export-ignore') === true
      // Each lies in the one before it.
      while (directories.length > 0 && !path.startsWith(`${directories.at(-1)?.path}/`))
        directories.pop()
      if (!isDir(mode)) {
        // As in git, a file that is left out still has its directories.
        yield* directories.splice(0)
        if (!isIgnored) yield entry
      } else if (isIgnored) ignored = `${path}/`
      else directories.push(entry)
    }
  }

  /** The file as a checkout has it. */
  convert(path: PathKey, entry: ArchiveEntry): ArchiveEntry {
    const attributes = this.attributes.of(path)
    if (attributes.size === 0) return entry
    const largeFile = this.largeFiles.get(entry.oid)
    if (largeFile && isLfsPath(this.attributes, path))
      return { ...entry, data: nothing, large: largeFileContent(largeFile) }
    // A large file is converted in memory, because few are both.
    const whole = entry.large ? readBlob(this.db, entry.oid) : entry.data
    const converted = convertFile(whole, entry.oid, attributes)
    const data =
      this.commit !== null && attributes.get('export-subst') === true
        ? expandFormats(converted, this.commit, this.context)
        : converted
    return entry.large && data === whole ? entry : { ...entry, data, large: undefined }
  }
}

const MIN_DEFAULT_ABBREVIATION = 7
const MIN_ABBREVIATION = 4

/**
 * So many digits that a collision among all objects is unlikely (`repo_find_unique_abbrev_r` in
 * git's object-name.c): half as many bits as the number of objects has, and one more.
 */
function defaultAbbreviation(db: ObjectReader): number {
  const bits = 32 - Math.clz32(db.approximateCount?.() ?? 0)
  return Math.max(MIN_DEFAULT_ABBREVIATION, Math.ceil(bits / 2))
}

/** The shortest prefix of an id that no other object has, of at least `minDigits`. */
function abbreviate(db: ObjectReader, oid: Oid, minDigits = defaultAbbreviation(db)): string {
  for (let length = Math.max(minDigits, MIN_ABBREVIATION); length < oid.length; length++) {
    const prefix = oid.slice(0, length)
    if ((db.expand?.(prefix, 2).length ?? 1) < 2) return prefix
  }
  return oid
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
    default: {
      const kind = mode === MODE.executable ? 'executable' : 'file'
      const size = db.blocks ? blobSize(db, oid) : 0
      return size > MAX_MEMORY_FILE_BYTES
        ? {
            path,
            kind,
            oid,
            data: nothing,
            large: { size, deflates: true, pieces: () => db.blocks?.(oid) ?? [] },
          }
        : { path, kind, oid, data: readBlob(db, oid) }
    }
  }
}
