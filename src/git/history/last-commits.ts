/**
 * For every entry of a directory the commit that changed it last: what `git log -1 -- <entry>` says
 * for each, in one walk. With git's default simplification an entry's history is a single chain: to
 * the first parent that has the same entry, and where there is none the commit itself is the
 * answer. Entries that share a chain are carried together. The filters of the commit-graph spare
 * most trees of a folder's history, and of the root's once few entries are left. Where a chain
 * comes through a commit whose answers are known, it ends there.
 */
import type { KnownLastCommits, LastCommit, ObjectReader, Oid } from '../ports.ts'
import { canAsk, pathHashes } from '../store/changed-paths.ts'
import { finish, type Turns } from './turns.ts'
import { CommitQueue } from './commit-queue.ts'
import { commitSource, type CommitNode } from './commit-source.ts'
import { readCommit } from './log.ts'
import { compareListing, namesIn, readListing, type Listing } from './listing.ts'
import { keyToText, splitPath, textToKey, type PathKey } from './names.ts'
import { pathProbe } from './path-probe.ts'
import { entryAt, isDir, viewTree } from './tree.ts'

type Pending = { readonly node: CommitNode; readonly time: number; names: Set<PathKey> }

/** Listings kept for commits that other ones will ask about again. */
const REMEMBERED = 64

/** After so many commits other work of the thread gets its turn. */
const TURN = 16

/**
 * With more entries than these one of their filters nearly always says maybe: then comparing trees
 * is quicker than asking.
 */
const MOST_ASKED = 40

/**
 * Sorted as the directory is; empty when the commit has no such directory. Gives GitError
 * `missing`.
 */
export const lastCommits = (
  db: ObjectReader,
  commit: Oid,
  path: string,
  known: readonly KnownLastCommits[] = [],
): LastCommit[] => finish(lastCommitsTurns(db, commit, path, known))

/** The same with pauses: at the top of a large repository it takes seconds. */
export function* lastCommitsTurns(
  db: ObjectReader,
  commit: Oid,
  path: string,
  known: readonly KnownLastCommits[] = [],
): Turns<LastCommit[]> {
  const source = commitSource(db)
  const segments = splitPath(path)
  const directory = entryAt(db, source.get(commit).tree, segments)
  if (!directory || !isDir(directory.mode)) return []
  const probe = segments.length === 0 ? null : pathProbe(db, segments)
  const treeAt = (node: CommitNode): Oid | null => {
    if (!probe) return node.tree
    const entry = probe(node.tree)
    return entry && isDir(entry.mode) ? entry.oid : null
  }
  const listings = new Map<Oid, Listing>()
  /**
   * Memory of listings that nobody needs any more: new memory for each of thousands costs more than
   * reading them.
   */
  const spare: Buffer[] = []
  const read = (oid: Oid): Buffer => {
    const data = viewTree(db, oid)
    const last = spare.pop()
    const memory =
      last !== undefined && last.length >= data.length
        ? last
        : Buffer.allocUnsafeSlow(data.length + (data.length >>> 3))
    memory.set(data)
    return memory.subarray(0, data.length)
  }
  const letGo = (listing: Listing): void => {
    if (spare.length < 4) spare.push(Buffer.from(listing.data.buffer))
  }
  const remember = (oid: Oid, listing: Listing): void => {
    listings.set(oid, listing)
    if (listings.size <= REMEMBERED) return
    for (const [oldest, kept] of listings) {
      listings.delete(oldest)
      letGo(kept)
      return
    }
  }
  const listingOf = (oid: Oid): Listing => {
    let listing = listings.get(oid)
    if (!listing) remember(oid, (listing = readListing(read(oid))))
    return listing
  }
  const changedNames = (own: Oid, theirs: Oid): PathKey[] => {
    const known = listings.get(theirs)
    const { other, changed } = compareListing(listingOf(own), known?.data ?? read(theirs))
    if (!known) remember(theirs, other)
    return changed
  }

  const names = namesIn(listingOf(directory.oid))
  const answers = new Map<PathKey, Oid>()
  const waiting = new Map<Oid, Pending>()
  const queue = new CommitQueue<Pending>()
  const pass = (oid: Oid, passed: Set<PathKey>) => {
    const known = waiting.get(oid)
    if (known) {
      for (const name of passed) known.names.add(name)
      return
    }
    const node = source.get(oid)
    const pending: Pending = { node, time: node.time, names: passed }
    waiting.set(oid, pending)
    queue.put(pending)
  }
  const prefix = segments.length === 0 ? '' : `${segments.join('/')}/`
  const own = canAsk(prefix.slice(0, -1)) ? pathHashes(prefix.slice(0, -1)) : null
  const hashes = new Map<PathKey, Uint32Array | null>()
  const hashesOf = (name: PathKey): Uint32Array | null => {
    let made = hashes.get(name)
    if (made === undefined)
      hashes.set(name, (made = canAsk(prefix + name) ? pathHashes(prefix + name) : null))
    return made
  }
  /** Whether a commit surely leaves all of these as they are in its first parent. */
  const leaves = (oid: Oid, names: ReadonlySet<PathKey>): boolean => {
    if (!source.leaves) return false
    if (own !== null && source.leaves(oid, own)) return true
    if (names.size > MOST_ASKED) return false
    for (const name of names) {
      const asked = hashesOf(name)
      if (asked === null || !source.leaves(oid, asked)) return false
    }
    return true
  }
  const before = new Map(
    known.map(({ commit: at, entries }) => [
      at,
      new Map(entries.map(({ name, oid }) => [textToKey(name), oid])),
    ]),
  )
  pass(commit, new Set(names))
  let steps = 0
  for (let step = queue.take(); step; step = queue.take()) {
    if (++steps % TURN === 0) yield 'pause'
    waiting.delete(step.node.oid)
    let left = step.names
    const answered = before.get(step.node.oid)
    if (answered) {
      for (const name of left) {
        const answer = answered.get(name)
        if (answer === undefined) continue
        answers.set(name, answer)
        left.delete(name)
      }
      if (left.size === 0) continue
    }
    const [first] = step.node.parents
    if (first !== undefined && leaves(step.node.oid, left)) {
      pass(first, left)
      continue
    }
    const tree = treeAt(step.node)
    for (const parent of step.node.parents) {
      if (left.size === 0) break
      const theirs = treeAt(source.get(parent))
      if (tree === null || theirs === null) continue
      const changed =
        tree === theirs ? [] : changedNames(tree, theirs).filter((name) => left.has(name))
      if (changed.length === left.size) continue
      for (const name of changed) left.delete(name)
      pass(parent, left)
      left = new Set(changed)
    }
    for (const name of left) answers.set(name, step.node.oid)
  }
  const commits = new Map<Oid, LastCommit['commit']>()
  return names.map((name) => {
    const oid = answers.get(name) ?? commit
    let found = commits.get(oid)
    if (!found) commits.set(oid, (found = readCommit(db, oid)))
    return { name: keyToText(name), commit: found }
  })
}
