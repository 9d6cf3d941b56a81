/**
 * Finds other active pull requests that change the same lines or files, from the index of touched
 * paths.
 */
import type { Hearth } from '#core/hearth.ts'
import { actorOf } from '#features/accounts/index.ts'
import type { Overlap } from '../schema.ts'
import { findPullById, type PullRow } from '../store-pulls.ts'
import { listPathsBelow, listSharedPaths, type SharedPath } from './store-stats.ts'
import { intersect } from './touched-lines.ts'

const MAX_OVERLAPS = 20
const MAX_PATHS = 100
/** Shared paths that are read; beyond that, one file is changed by nearly everyone. */
const MAX_SHARED_PATHS = 5_000

/**
 * Overlapping pull requests, the strongest first: the same lines, the same files, files below a
 * removed directory; then by the count of paths; then the newest.
 */
export function overlapsOf(hearth: Hearth, pull: PullRow): Overlap[] {
  if (pull.status !== 'draft' && pull.status !== 'open') return []
  const byPull = new Map<string, SharedPath[]>()
  for (const shared of listSharedPaths(hearth.db, pull, MAX_SHARED_PATHS)) {
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
    listPathsBelow(hearth.db, pull, MAX_SHARED_PATHS).filter(({ pull_id }) => !byPull.has(pull_id)),
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
  return all.slice(0, MAX_OVERLAPS).flatMap(({ id, level, paths }) => {
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
        paths: paths.slice(0, MAX_PATHS),
      },
    ]
  })
}
