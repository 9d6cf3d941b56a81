/** The files that the latest commits of a branch changed most often. */
import { diffTreePaths } from '../diff/tree-diff.ts'
import { GitError, type ObjectReader, type Oid } from '../ports.ts'
import { commitSource } from './commit-source.ts'
import { walkCommits } from './log.ts'
import { keyToText, type PathKey } from './names.ts'
import type { PausableWork } from './pausable-work.ts'

/** Other work of the thread gets a turn after this many commits. */
const COMMITS_PER_TURN = 8

/** Paths by the number of commits that changed them. Merges and very large commits do not count. */
export function* findBusyPathsInTurns(
  db: ObjectReader,
  commit: Oid,
  limits: { commits: number; paths: number },
): PausableWork<string[]> {
  const source = commitSource(db)
  const times = new Map<PathKey, number>()
  let looked = 0
  for (const node of walkCommits(db, { tips: [commit] })) {
    if (looked >= limits.commits) break
    const [parent, second] = node.parents
    if (second !== undefined) continue
    if (++looked % COMMITS_PER_TURN === 0) yield 'pause'
    for (const path of listChangedPaths(
      db,
      parent === undefined ? null : source.get(parent).tree,
      node.tree,
    ))
      times.set(path, (times.get(path) ?? 0) + 1)
  }
  return [...times]
    .sort((a, b) => b[1] - a[1])
    .slice(0, limits.paths)
    .map(([path]) => keyToText(path))
}

function listChangedPaths(db: ObjectReader, parent: Oid | null, tree: Oid): PathKey[] {
  try {
    return diffTreePaths(db, parent, tree).flatMap(({ path, new: now }) => (now ? [path] : []))
  } catch (error) {
    if (error instanceof GitError && error.code === 'too_large') return []
    throw error
  }
}
