/**
 * Finds a pattern in what commits add: matches that no parent has in the same file. Each blob is
 * read once, however many commits contain it. A commit is compared with its parents only when one of
 * its blobs matches.
 */
import type {
  AddedMatch,
  AddedMatches,
  AddedSearch,
  GitObject,
  ObjectReader,
  Oid,
} from '../ports.ts'
import { lineAt, lineStarts } from '#lib/secrets/secret-matcher.ts'
import { diffTreePaths } from '../diff/tree-diff.ts'
import { AddedFiles, type AddedFile } from './added-files.ts'
import type { CommitNode } from './commit-source.ts'
import { commitSource } from './commit-source.ts'
import { walkCommits } from './log.ts'
import { textFinder, type FoundText, type TextFinder } from './find-text.ts'
import { keyToText } from './names.ts'
import type { PausableWork } from './pausable-work.ts'

/** Only the beginning of a larger file is searched. */
const MAX_FILE_BYTES = 8 << 20
/** Blobs without a match that are remembered. */
const MAX_CLEAN_BLOBS = 1 << 19
/** Other work of the thread gets a turn after this many bytes. */
const BYTES_PER_TURN = 4 << 20

const GITLINK = 0o160000

const NONE: readonly FoundText[] = []

/** Newest commits first. Throws GitError `missing` for an object that is not in the store. */
export function* searchAdded(db: ObjectReader, search: AddedSearch): PausableWork<AddedMatches> {
  const blobs = new BlobSearch(db, search)
  const source = commitSource(db)
  const files = new AddedFiles(db, {
    wants: (blob, old) => blobs.mayAdd(blob, old),
    isTurnOver: () => blobs.isTurnOver(),
  })
  const matches: AddedMatch[] = []
  const {
    commits: mostCommits = Infinity,
    bytes: mostBytes = Infinity,
    matches: mostMatches = 1000,
    milliseconds: mostMs = Infinity,
  } = search.limits ?? {}
  let commits = 0
  const end = performance.now() + mostMs
  const isOver = () =>
    commits >= mostCommits ||
    blobs.read >= mostBytes ||
    matches.length >= mostMatches ||
    performance.now() >= end
  for (const node of walkCommits(db, search)) {
    if (isOver()) return { matches, commits, complete: false }
    commits++
    const parents = node.parents.map((oid) => source.get(oid).tree)
    const dirty = yield* files.find(parents[0] ?? null, node.tree)
    if (dirty.length > 0) matches.push(...findAddedMatches(db, blobs, node, dirty, parents))
    if (commits % 64 === 0) yield 'pause'
  }
  return { matches, commits, complete: true }
}

/** The matches in the `dirty` files of a commit that none of its parents has. */
function findAddedMatches(
  db: ObjectReader,
  blobs: BlobSearch,
  { oid, tree }: CommitNode,
  dirty: readonly AddedFile[],
  parents: readonly Oid[],
): AddedMatch[] {
  const sides = parents.map((parent) => {
    const changes = diffTreePaths(db, parent, tree)
    return {
      at: new Map(changes.map((change) => [change.path, change])),
      // A removed file may have been renamed, so its matches are not new elsewhere.
      gone: changes.flatMap((change) =>
        change.old !== null && change.new === null && change.old.mode !== GITLINK
          ? [change.old.oid]
          : [],
      ),
    }
  })
  return dirty.flatMap(({ path, new: entry }) => {
    const known = new Set<string>()
    for (const { at, gone } of sides) {
      const change = at.get(path)
      // The file is unchanged in this parent.
      if (change === undefined) return []
      const before =
        change.old === null || change.old.mode === GITLINK ? gone : [change.old.oid, ...gone]
      for (const one of before) for (const { text } of blobs.hits(one)) known.add(text)
    }
    const name = keyToText(path)
    const fresh = blobs
      .select(blobs.hits(entry.oid), name)
      .filter((found) => !known.has(found.text))
    if (fresh.length === 0) return []
    const starts = lineStarts(contentOf(db, entry.oid))
    return fresh.map(({ text, index, secret }) => ({
      commit: oid,
      path: name,
      line: lineAt(starts, index),
      text,
      rule: secret?.match.rule ?? null,
    }))
  })
}

const contentOf = (db: ObjectReader, oid: Oid): Buffer =>
  beginningOf(db.readStart?.(oid, MAX_FILE_BYTES) ?? db.read(oid))

/** The content in memory that the next read takes. */
const viewOf = (db: ObjectReader, oid: Oid): Buffer =>
  (db.header(oid)?.size ?? 0) > MAX_FILE_BYTES
    ? contentOf(db, oid)
    : beginningOf(db.view?.(oid) ?? db.read(oid))

/** Both contents in memory that the next read takes. Copying them takes longer than comparing. */
function viewsOf(db: ObjectReader, first: Oid, second: Oid): readonly [Buffer, Buffer] {
  const isLarge = [first, second].some((oid) => (db.header(oid)?.size ?? 0) > MAX_FILE_BYTES)
  const both = isLarge ? null : (db.viewBoth?.(first, second) ?? null)
  return both
    ? [beginningOf(both[0]), beginningOf(both[1])]
    : [contentOf(db, first), viewOf(db, second)]
}

function beginningOf(object: GitObject | null): Buffer {
  if (object === null) return Buffer.alloc(0)
  const { buffer, byteOffset, length } = object.data
  if (Buffer.isBuffer(object.data) && length <= MAX_FILE_BYTES) return object.data
  return Buffer.from(buffer, byteOffset, Math.min(length, MAX_FILE_BYTES))
}

class BlobSearch {
  /** Bytes that were searched. */
  read = 0
  private readAtTurn = 0
  private readonly clean = new Set<Oid>()
  /** Pairs of a file and the one that it replaces, between which no match was added. */
  private readonly unchanged = new Set<string>()
  private readonly dirty = new Map<Oid, readonly FoundText[]>()
  private readonly finder: TextFinder

  constructor(
    private readonly db: ObjectReader,
    search: AddedSearch,
  ) {
    this.finder = textFinder(search)
  }

  isTurnOver(): boolean {
    if (this.read - this.readAtTurn < BYTES_PER_TURN) return false
    this.readAtTurn = this.read
    return true
  }

  /** The matches that count in a file of this path. */
  select(found: readonly FoundText[], path: string): readonly FoundText[] {
    return this.finder.select(found, path)
  }

  /** Whether a file may have a match that the file it replaces has not. */
  mayAdd(oid: Oid, old: Oid | null): boolean {
    if (this.clean.has(oid)) return false
    if (old === null || this.dirty.has(oid)) return this.hits(oid).length > 0
    const pair = old + oid
    if (this.unchanged.has(pair)) return false
    const [before, data] = viewsOf(this.db, old, oid)
    // Reading a byte takes about a quarter of the time of searching it.
    this.read += (before.length + data.length) >> 2
    if (this.finder.mayAdd(data, before)) return this.hits(oid).length > 0
    remember(this.unchanged, pair)
    return false
  }

  hits(oid: Oid): readonly FoundText[] {
    if (this.clean.has(oid)) return NONE
    const known = this.dirty.get(oid)
    if (known) return known
    const data = viewOf(this.db, oid)
    this.read += data.length
    const hits = this.finder.find(data)
    if (hits.length > 0) this.dirty.set(oid, hits)
    else remember(this.clean, oid)
    return hits
  }
}

function remember(known: Set<string>, key: string): void {
  if (known.size >= MAX_CLEAN_BLOBS) known.clear()
  known.add(key)
}
