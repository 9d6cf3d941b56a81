/**
 * The last commit that changed each entry of a directory: `git log -1 -- <entry>` for all entries in
 * one walk.
 *
 * With git's default simplification the history of an entry is a single chain. It leads to the first
 * parent that has the same entry; where no parent has it, the commit itself is the result. Entries
 * on the same chain are followed together. The changed-path filters of the commit-graph avoid most
 * trees. A chain ends at a commit whose result is cached.
 */
import type { CachedLastCommits, LastCommit, ObjectReader, Oid } from '../ports.ts'
import { isFilterablePath, pathHashes } from '../store/changed-paths.ts'
import { runToEnd, type PausableWork } from './pausable-work.ts'
import { CommitQueue } from './commit-queue.ts'
import { commitSource, type CommitNode, type CommitSource } from './commit-source.ts'
import { readCommit } from './log.ts'
import { compareListing, namesIn, readListing, type Listing } from './listing.ts'
import { keyToText, splitPath, textToKey, type PathKey } from './names.ts'
import { createPathLookup, type PathLookup } from './path-lookup.ts'
import { entryAt, isDir, viewTree } from './tree.ts'

/** A commit of the walk with the entries whose chains lead through it. */
type Pending = { readonly node: CommitNode; readonly time: number; names: Set<PathKey> }

/** Listings that are cached for neighbouring commits. */
const MAX_LISTINGS = 64

/** Buffers of dropped listings that are reused: allocating thousands costs more than reading. */
const MAX_SPARE_BUFFERS = 4

/** Other work of the thread gets a turn after this many commits. */
const COMMITS_PER_TURN = 16

/**
 * Only the first entries of a directory get their commit: those that a page of it shows. A directory
 * may have hundreds of thousands, and each takes some 500 bytes in the caches of the host.
 */
export const MAX_ENTRIES = 10_000

/** With more entries one filter nearly always says "maybe"; comparing trees is faster then. */
const MAX_FILTERED_NAMES = 40

/**
 * Of the first `MAX_ENTRIES` entries, in the order of the directory; empty when the commit has no
 * such directory. Throws GitError `missing`.
 */
export const findLastCommits = (
  db: ObjectReader,
  commit: Oid,
  path: string,
  known: readonly CachedLastCommits[] = [],
): LastCommit[] => runToEnd(findLastCommitsInTurns(db, commit, path, known))

/** The same with pauses: at the root of a large repository it takes seconds. */
export function* findLastCommitsInTurns(
  db: ObjectReader,
  commit: Oid,
  path: string,
  known: readonly CachedLastCommits[] = [],
): PausableWork<LastCommit[]> {
  const segments = splitPath(path)
  const directory = entryAt(db, commitSource(db).get(commit).tree, segments)
  if (!directory || !isDir(directory.mode)) return []
  const listings = new ListingCache(db)
  const names = namesIn(listings.get(directory.oid), MAX_ENTRIES)
  const walk = new LastCommitsWalk(db, segments, listings, known)
  const results = yield* walk.run(commit, names)
  const commits = new Map<Oid, LastCommit['commit']>()
  return names.map((name) => {
    const oid = results.get(name) ?? commit
    let found = commits.get(oid)
    if (!found) commits.set(oid, (found = readCommit(db, oid)))
    return { name: keyToText(name), commit: found }
  })
}

/** Listings of directories, of which only the latest are kept. */
class ListingCache {
  private readonly listings = new Map<Oid, Listing>()
  private readonly spare: Buffer[] = []

  constructor(private readonly db: ObjectReader) {}

  get(oid: Oid): Listing {
    let listing = this.listings.get(oid)
    if (!listing) this.add(oid, (listing = readListing(this.read(oid))))
    return listing
  }

  /** The names in `own` that `theirs` has otherwise. */
  changedNames(own: Oid, theirs: Oid): PathKey[] {
    const known = this.listings.get(theirs)
    const { other, changed } = compareListing(this.get(own), known?.data ?? this.read(theirs))
    if (!known) this.add(theirs, other)
    return changed
  }

  private add(oid: Oid, listing: Listing): void {
    this.listings.set(oid, listing)
    if (this.listings.size <= MAX_LISTINGS) return
    for (const [oldest, { data }] of this.listings) {
      this.listings.delete(oldest)
      if (this.spare.length < MAX_SPARE_BUFFERS) this.spare.push(Buffer.from(data.buffer))
      return
    }
  }

  /** A copy of a tree in memory that may be reused. */
  private read(oid: Oid): Buffer {
    const data = viewTree(this.db, oid)
    const last = this.spare.pop()
    const memory =
      last !== undefined && last.length >= data.length
        ? last
        : Buffer.allocUnsafeSlow(data.length + (data.length >>> 3))
    memory.set(data)
    return memory.subarray(0, data.length)
  }
}

/** The changed-path filters of the commit-graph for a directory and its entries. */
class EntryFilters {
  private readonly prefix: string
  private readonly directory: Uint32Array | null
  private readonly entries = new Map<PathKey, Uint32Array | null>()

  constructor(
    private readonly source: CommitSource,
    segments: readonly PathKey[],
  ) {
    const path = segments.join('/')
    this.prefix = path === '' ? '' : `${path}/`
    this.directory = isFilterablePath(path) ? pathHashes(path) : null
  }

  /** Whether a commit certainly has all these entries as in its first parent. */
  leaveUnchanged(oid: Oid, names: ReadonlySet<PathKey>): boolean {
    const { source, directory } = this
    if (!source.leaves) return false
    if (directory !== null && source.leaves(oid, directory)) return true
    if (names.size > MAX_FILTERED_NAMES) return false
    for (const name of names) {
      const hashes = this.hashesOf(name)
      if (hashes === null || !source.leaves(oid, hashes)) return false
    }
    return true
  }

  private hashesOf(name: PathKey): Uint32Array | null {
    let hashes = this.entries.get(name)
    if (hashes === undefined) {
      const path = this.prefix + name
      this.entries.set(name, (hashes = isFilterablePath(path) ? pathHashes(path) : null))
    }
    return hashes
  }
}

class LastCommitsWalk {
  private readonly source: CommitSource
  private readonly filters: EntryFilters
  private readonly probe: PathLookup | null
  private readonly waiting = new Map<Oid, Pending>()
  private readonly queue = new CommitQueue<Pending>()
  private readonly results = new Map<PathKey, Oid>()
  /** Cached results by commit. */
  private readonly cached: ReadonlyMap<Oid, ReadonlyMap<PathKey, Oid>>

  constructor(
    db: ObjectReader,
    segments: readonly PathKey[],
    private readonly listings: ListingCache,
    cached: readonly CachedLastCommits[],
  ) {
    this.source = commitSource(db)
    this.filters = new EntryFilters(this.source, segments)
    this.probe = segments.length === 0 ? null : createPathLookup(db, segments)
    this.cached = new Map(
      cached.map(({ commit, entries }) => [
        commit,
        new Map(entries.map(({ name, oid }) => [textToKey(name), oid])),
      ]),
    )
  }

  *run(commit: Oid, names: readonly PathKey[]): PausableWork<ReadonlyMap<PathKey, Oid>> {
    this.pass(commit, new Set(names))
    let steps = 0
    for (let step = this.queue.take(); step; step = this.queue.take()) {
      if (++steps % COMMITS_PER_TURN === 0) yield 'pause'
      this.waiting.delete(step.node.oid)
      this.visit(step.node, step.names)
    }
    return this.results
  }

  /** Passes names on to the parents that have the same entries; the rest end at this commit. */
  private visit(node: CommitNode, names: Set<PathKey>): void {
    this.takeCached(node.oid, names)
    if (names.size === 0) return
    const [first] = node.parents
    if (first !== undefined && this.filters.leaveUnchanged(node.oid, names)) {
      this.pass(first, names)
      return
    }
    let left = names
    const tree = this.treeAt(node)
    for (const parent of node.parents) {
      if (left.size === 0) break
      const theirs = this.treeAt(this.source.get(parent))
      if (tree === null || theirs === null) continue
      const remaining = left
      const changed =
        tree === theirs
          ? []
          : this.listings.changedNames(tree, theirs).filter((name) => remaining.has(name))
      if (changed.length === left.size) continue
      for (const name of changed) left.delete(name)
      this.pass(parent, left)
      left = new Set(changed)
    }
    for (const name of left) this.results.set(name, node.oid)
  }

  /** Takes the names whose results are cached out of `names`. */
  private takeCached(oid: Oid, names: Set<PathKey>): void {
    const cached = this.cached.get(oid)
    if (!cached) return
    for (const name of names) {
      const result = cached.get(name)
      if (result === undefined) continue
      this.results.set(name, result)
      names.delete(name)
    }
  }

  private pass(oid: Oid, names: Set<PathKey>): void {
    const known = this.waiting.get(oid)
    if (known) {
      for (const name of names) known.names.add(name)
      return
    }
    const node = this.source.get(oid)
    const pending: Pending = { node, time: node.time, names }
    this.waiting.set(oid, pending)
    this.queue.put(pending)
  }

  /** The directory at a commit; null when there is none. */
  private treeAt(node: CommitNode): Oid | null {
    if (!this.probe) return node.tree
    const entry = this.probe(node.tree)
    return entry && isDir(entry.mode) ? entry.oid : null
  }
}
