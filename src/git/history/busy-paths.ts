/**
 * The files that a branch's latest commits changed most: those that people are likely to ask about.
 */
import { diffTreePaths } from '../diff/tree-diff.ts'
import { GitError, type ObjectReader, type Oid } from '../ports.ts'
import { commitSource } from './commit-source.ts'
import { walkCommits } from './log.ts'
import { keyToText, type PathKey } from './names.ts'
import type { Turns } from './turns.ts'

/** After so many commits other work of the thread gets its turn. */
const TURN = 8

/**
 * Paths in the order of how many of the last commits changed them; merges do not count, nor do
 * commits that change very much.
 */
export function* busyPathsTurns(
  db: ObjectReader,
  commit: Oid,
  most: { commits: number; paths: number },
): Turns<string[]> {
  const source = commitSource(db)
  const times = new Map<PathKey, number>()
  let looked = 0
  for (const node of walkCommits(db, { tips: [commit] })) {
    if (looked >= most.commits) break
    const [parent, second] = node.parents
    if (second !== undefined) continue
    if (++looked % TURN === 0) yield 'pause'
    for (const path of changed(
      db,
      parent === undefined ? null : source.get(parent).tree,
      node.tree,
    ))
      times.set(path, (times.get(path) ?? 0) + 1)
  }
  return [...times]
    .sort((a, b) => b[1] - a[1])
    .slice(0, most.paths)
    .map(([path]) => keyToText(path))
}

function changed(db: ObjectReader, parent: Oid | null, tree: Oid): PathKey[] {
  try {
    return diffTreePaths(db, parent, tree).flatMap(({ path, new: now }) => (now ? [path] : []))
  } catch (error) {
    if (error instanceof GitError && error.code === 'too_large') return []
    throw error
  }
}
