/** Other active pull requests that change the same places, found in the index of touched paths. */
import type { Hearth } from '#core/hearth.ts'
import { actorOf } from '#features/accounts/index.ts'
import type { Overlap } from './schema.ts'
import { findPullById, type PullRow } from './store.ts'
import { listPathsBelow, listSharedPaths, type SharedPath } from './store-stats.ts'
import { intersect } from './touches.ts'

const MOST_OVERLAPS = 20
const MOST_PATHS = 100
/** Shared paths that are looked at; a repository with more has one file that everyone changes. */
const MOST_SHARED = 5_000

/**
 * The strongest first: the same lines before the same files, those before a directory that one
 * takes away, then more paths, then the newer.
 */
export function overlapsOf(hearth: Hearth, pull: PullRow): Overlap[] {
  if (pull.status !== 'draft' && pull.status !== 'open') return []
  const byPull = new Map<string, SharedPath[]>()
  for (const shared of listSharedPaths(hearth.db, pull, MOST_SHARED)) {
    const list = byPull.get(shared.pull_id)
    if (list) list.push(shared)
    else byPull.set(shared.pull_id, [shared])
  }
  const found = [...byPull].map(([id, shared]) => {
    const paths = shared.map(({ path, ranges, own }) => ({
      path,
      ranges: intersect(own, ranges).map(([first, last]) => [first, last]),
    }))
    const inLines = paths.filter(({ ranges }) => ranges.length > 0)
    return {
      id,
      level: inLines.length > 0 ? ('lines' as const) : ('file' as const),
      lines: inLines.length,
      paths: [...inLines, ...paths.filter(({ ranges }) => ranges.length === 0)],
    }
  })
  const below = Map.groupBy(
    listPathsBelow(hearth.db, pull, MOST_SHARED).filter(({ pull_id }) => !byPull.has(pull_id)),
    ({ pull_id }) => pull_id,
  )
  const inFolders = [...below].map(([id, paths]) => ({
    id,
    level: 'directory' as const,
    lines: 0,
    paths: paths.map(({ path }) => ({ path, ranges: [] as number[][] })),
  }))
  const all = [...found, ...inFolders]
  const rank = { lines: 0, file: 1, directory: 2 }
  all.sort(
    (a, b) =>
      rank[a.level] - rank[b.level] ||
      b.lines - a.lines ||
      b.paths.length - a.paths.length ||
      (a.id < b.id ? 1 : -1),
  )
  return all.slice(0, MOST_OVERLAPS).flatMap(({ id, level, paths }) => {
    const other = findPullById(hearth.db, id)
    if (!other) return []
    const { number, title, status, agent, issue } = other
    return [
      {
        number,
        title,
        status,
        author: actorOf(hearth, other.author_id),
        agent,
        issue,
        level,
        paths: paths.slice(0, MOST_PATHS),
      },
    ]
  })
}
