/**
 * For every entry of a directory the commit that changed it last: what `git log -1 -- <entry>` says for each, in one walk.
 * With git's default simplification an entry's history is a single chain: to the first parent that has the same entry,
 * and where there is none the commit itself is the answer. Entries that share a chain are carried together.
 */
import type { LastCommit, ObjectReader, Oid } from '../ports.ts'
import { CommitQueue } from './commit-queue.ts'
import { commitSource, type CommitNode } from './commit-source.ts'
import { readCommit } from './log.ts'
import { keyToText, splitPath, type PathKey } from './names.ts'
import { pathProbe } from './path-probe.ts'
import { entriesOf, entryAt, isDir, sameEntry, type Entry } from './tree.ts'

type Pending = { readonly node: CommitNode; readonly time: number; names: PathKey[] }

const NOTHING: ReadonlyMap<PathKey, Entry> = new Map()
const REMEMBERED = 256

/** Sorted as the directory is; empty when the commit has no such directory. Gives GitError `missing`. */
export function lastCommits(db: ObjectReader, commit: Oid, path: string): LastCommit[] {
  const source = commitSource(db)
  const segments = splitPath(path)
  const tip = source.get(commit)
  const directory = entryAt(db, tip.tree, segments)
  if (!directory || !isDir(directory.mode)) return []
  const probe = segments.length === 0 ? null : pathProbe(db, segments)
  const listings = new Map<Oid, ReadonlyMap<PathKey, Entry>>()
  const treeOid = (node: CommitNode): Oid | null => {
    if (!probe) return node.tree
    const entry = probe(node.tree)
    return entry && isDir(entry.mode) ? entry.oid : null
  }
  const listing = (oid: Oid | null): ReadonlyMap<PathKey, Entry> => {
    if (oid === null) return NOTHING
    let entries = listings.get(oid)
    if (!entries) {
      if (listings.size >= REMEMBERED) listings.clear()
      listings.set(oid, (entries = entriesOf(db, oid)))
    }
    return entries
  }

  const names = [...listing(directory.oid).keys()]
  const answers = new Map<PathKey, Oid>()
  const waiting = new Map<Oid, Pending>()
  const queue = new CommitQueue<Pending>()
  const pass = (oid: Oid, passed: PathKey[]) => {
    const known = waiting.get(oid)
    if (known) {
      known.names = known.names.concat(passed)
      return
    }
    const node = source.get(oid)
    const pending: Pending = { node, time: node.time, names: passed }
    waiting.set(oid, pending)
    queue.put(pending)
  }
  pass(commit, names)
  for (let step = queue.take(); step; step = queue.take()) {
    waiting.delete(step.node.oid)
    const own = treeOid(step.node)
    let left = step.names
    for (const parent of step.node.parents) {
      const theirs = treeOid(source.get(parent))
      if (theirs === own) {
        pass(parent, left)
        left = []
        break
      }
      const mine = listing(own)
      const others = listing(theirs)
      const same = (name: PathKey) => sameEntry(mine.get(name) ?? null, others.get(name) ?? null)
      const carried = left.filter(same)
      if (carried.length === 0) continue
      pass(parent, carried)
      left = left.filter((name) => !same(name))
      if (left.length === 0) break
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
