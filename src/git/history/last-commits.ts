/**
 * For every entry of a directory the commit that changed it last: what `git log -1 -- <entry>` says for each, in one walk.
 * With git's default simplification an entry's history is a single chain: to the first parent that has the same entry,
 * and where there is none the commit itself is the answer. Entries that share a chain are carried together.
 */
import type { LastCommit, ObjectReader, Oid } from '../ports.ts'
import { finish, type Turns } from './turns.ts'
import { CommitQueue } from './commit-queue.ts'
import { commitSource, type CommitNode } from './commit-source.ts'
import { readCommit } from './log.ts'
import { compareListing, namesIn, readListing, type Listing } from './listing.ts'
import { keyToText, splitPath, type PathKey } from './names.ts'
import { pathProbe } from './path-probe.ts'
import { entryAt, isDir, readTree } from './tree.ts'

type Pending = { readonly node: CommitNode; readonly time: number; names: Set<PathKey> }

/** Listings kept for commits that other ones will ask about again. */
const REMEMBERED = 64

/** After so many commits other work of the thread gets its turn. */
const TURN = 16

/** Sorted as the directory is; empty when the commit has no such directory. Gives GitError `missing`. */
export const lastCommits = (db: ObjectReader, commit: Oid, path: string): LastCommit[] => finish(lastCommitsTurns(db, commit, path))

/** The same with pauses: at the top of a large repository it takes seconds. */
export function* lastCommitsTurns(db: ObjectReader, commit: Oid, path: string): Turns<LastCommit[]> {
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
  const listings = new Map<Oid, Listing>([[directory.oid, readListing(readTree(db, directory.oid))]])
  const remember = (oid: Oid, listing: Listing) => {
    const oldest = listings.keys().next()
    if (listings.size >= REMEMBERED && !oldest.done) listings.delete(oldest.value)
    listings.set(oid, listing)
  }
  const listingOf = (oid: Oid): Listing => {
    let listing = listings.get(oid)
    if (!listing) remember(oid, (listing = readListing(readTree(db, oid))))
    return listing
  }
  const changedNames = (own: Oid, theirs: Oid): PathKey[] => {
    const { other, changed } = compareListing(listingOf(own), readTree(db, theirs))
    if (!listings.has(theirs)) remember(theirs, other)
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
  pass(commit, new Set(names))
  let steps = 0
  for (let step = queue.take(); step; step = queue.take()) {
    if (++steps % TURN === 0) yield 'pause'
    waiting.delete(step.node.oid)
    const own = treeAt(step.node)
    let left = step.names
    for (const parent of step.node.parents) {
      if (left.size === 0) break
      const theirs = treeAt(source.get(parent))
      if (own === null || theirs === null) continue
      const changed = own === theirs ? [] : changedNames(own, theirs).filter((name) => left.has(name))
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
