/**
 * `git log --follow`: the history of a file through renames. Every commit except merges is compared
 * with its parent. Where the file is added, the walk continues with the file that it was renamed or
 * copied from.
 */
import type { ObjectReader, Oid } from '../ports.ts'
import { Fingerprints } from '../diff/fingerprints.ts'
import { RENAME_SCORE } from '../diff/similarity.ts'
import { diffTreePaths } from '../diff/tree-diff.ts'
import { commitSource, type CommitNode } from './commit-source.ts'
import { walkTree } from './list-tree.ts'
import { baseKey, type PathKey } from './names.ts'
import { createPathLookup } from './path-lookup.ts'
import { isDir, isFile, sameEntry, type Entry } from './tree.ts'

export function* followLog(
  db: ObjectReader,
  walk: Iterable<CommitNode>,
  segments: readonly PathKey[],
  firstParent: boolean,
): Generator<CommitNode, void> {
  const source = commitSource(db)
  let path = segments.join('/')
  let probe = createPathLookup(db, segments)
  for (const node of walk) {
    if (node.parents.length > 1 && !firstParent) continue
    const first = node.parents[0]
    const parent = first === undefined ? null : source.get(first)
    const now = probe(node.tree)
    const before = parent && probe(parent.tree)
    if (sameEntry(now, before)) continue
    yield node
    if (!now || before || !parent) continue
    const origin = findOrigin(db, parent.tree, node.tree, path, now)
    if (origin === null) continue
    path = origin
    probe = createPathLookup(db, path.split('/'))
  }
}

type Source = { readonly path: PathKey; readonly entry: Entry; readonly gone: boolean }

/** With more candidate files, only those that the commit changed are compared. */
const MAX_SOURCES = 5000

/**
 * The parent's file that a new file was renamed or copied from, or null. Removed files are
 * preferred.
 */
function findOrigin(
  db: ObjectReader,
  parent: Oid,
  tree: Oid,
  path: PathKey,
  target: Entry,
): PathKey | null {
  const changes = new Map(diffTreePaths(db, parent, tree).map((change) => [change.path, change]))
  const sources: Source[] = []
  for (const { path: from, entry } of walkTree(db, parent)) {
    if (isDir(entry.mode)) continue
    const change = changes.get(from)
    sources.push({ path: from, entry, gone: change !== undefined && !change.new })
  }
  const exact = byContent(sources, path, target)
  if (exact) return exact.path
  if (!isFile(target.mode)) return null
  const prints = new Fingerprints(db)
  const few =
    sources.length <= MAX_SOURCES ? sources : sources.filter((source) => changes.has(source.path))
  const best: { source: Source; score: number; sameName: boolean }[] = []
  for (const source of few) {
    if (!isFile(source.entry.mode)) continue
    const score = prints.score(source.entry.oid, target.oid, RENAME_SCORE)
    if (score < RENAME_SCORE) continue
    best.push({ source, score, sameName: baseKey(source.path) === baseKey(path) })
  }
  best.sort((a, b) => b.score - a.score || Number(b.sameName) - Number(a.sameName))
  // As in git, a removed file among the four best is preferred to one that remains.
  const best4 = best.slice(0, 4)
  return (best4.find(({ source }) => source.gone) ?? best4[0])?.source.path ?? null
}

function byContent(sources: readonly Source[], path: PathKey, target: Entry): Source | null {
  let best: Source | null = null
  let bestScore = -1
  for (const source of sources) {
    const { entry } = source
    if (entry.oid !== target.oid) continue
    if ((!isFile(entry.mode) || !isFile(target.mode)) && entry.mode !== target.mode) continue
    const score = (source.gone ? 1 : 0) + (baseKey(source.path) === baseKey(path) ? 1 : 0)
    if (score > bestScore) {
      best = source
      bestScore = score
    }
  }
  return best
}
