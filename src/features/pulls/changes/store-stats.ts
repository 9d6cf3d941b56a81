/** Stored statistics of pull requests, per pair of commits, and the index of touched paths. */
import type { Db } from '#core/db.ts'
import { preload, memo } from '#core/read-scope.ts'
import type { Tx } from '#core/write.ts'
import type { Oid } from '#git'
import type { PullRow } from '../store-pulls.ts'

export type LineRange = readonly [first: number, last: number]

export type Stats = {
  readonly base_sha: Oid
  readonly head_sha: Oid
  readonly merge_base_sha: Oid | null
  readonly commits: number
  readonly files: number
  readonly additions: number
  readonly deletions: number
  readonly behind: number
  /** Null when it merges without conflicts. */
  readonly conflict_paths: readonly string[] | null
  readonly touched_paths: readonly string[]
  readonly diff_id: string
  /** Changed files that say how agents and checks work. */
  readonly instruction_paths: readonly string[]
}

export type Touch = { readonly path: string; readonly ranges: readonly LineRange[] }

type StoredStats = Omit<Stats, 'conflict_paths' | 'touched_paths' | 'instruction_paths'> & {
  pull_id: string
  conflict_paths: string | null
  touched_paths: string
  instruction_paths: string
}

/** The stats of the present pair of commits; null when they are not computed yet. */
export function findStats(
  db: Db,
  pull: Pick<PullRow, 'id' | 'base_sha' | 'head_sha'>,
): Stats | null {
  const { id, head_sha } = pull
  const known =
    head_sha === null ? null : memo(db, 'pull stats', id, () => listStats(db, [id]).get(id) ?? null)
  return known !== null && isOfPair(known, pull) ? known : null
}

/** The latest stats of several pull requests, by id, of whichever pair of commits. */
function listStats(db: Db, pull_ids: readonly string[]): Map<string, Stats> {
  const rows = db.all<StoredStats>(
    `SELECT s.* FROM pull_stats s
     JOIN pull_owners o ON o.pull_id = s.pull_id AND o.base_sha = s.base_sha
       AND o.head_sha = s.head_sha
     WHERE s.pull_id IN (SELECT value FROM json_each(?))`,
    JSON.stringify(pull_ids),
  )
  return new Map(
    rows.map((row) => [
      row.pull_id,
      {
        ...row,
        conflict_paths: row.conflict_paths === null ? null : JSON.parse(row.conflict_paths),
        touched_paths: JSON.parse(row.touched_paths),
        instruction_paths: JSON.parse(row.instruction_paths),
      },
    ]),
  )
}

type CommitPair = Pick<PullRow, 'base_sha' | 'head_sha'>
const isOfPair = (stats: Stats, { base_sha, head_sha }: CommitPair): boolean =>
  stats.base_sha === base_sha && stats.head_sha === head_sha

/**
 * The stats of several pull requests, by id. Stats of other commits than the present ones are left
 * out. The rows are also left in the read scope for `findStats`.
 */
export function presentStats(db: Db, pulls: readonly PullRow[]): Map<string, Stats> {
  const ids = pulls.map(({ id }) => id)
  const latest = listStats(db, ids)
  preload(
    db,
    'pull stats',
    ids,
    () => latest,
    () => null,
  )
  return new Map(
    pulls.flatMap((pull) => {
      const stats = latest.get(pull.id)
      return stats && isOfPair(stats, pull) ? [[pull.id, stats] as const] : []
    }),
  )
}

/** The latest stats, of whichever pair of commits. */
export const findLatestStats = (db: Db, pull_id: string): Stats | null =>
  listStats(db, [pull_id]).get(pull_id) ?? null

/** Replaces the stored stats. */
export function setStats(tx: Tx, pull_id: string, stats: Stats): void {
  tx.db.run(
    `INSERT OR REPLACE INTO pull_stats
       (pull_id, base_sha, head_sha, merge_base_sha, commits, files, additions, deletions, behind, conflict_paths, touched_paths, diff_id, instruction_paths,
        computed_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    pull_id,
    stats.base_sha,
    stats.head_sha,
    stats.merge_base_sha,
    stats.commits,
    stats.files,
    stats.additions,
    stats.deletions,
    stats.behind,
    stats.conflict_paths === null ? null : JSON.stringify(stats.conflict_paths),
    JSON.stringify(stats.touched_paths),
    stats.diff_id,
    JSON.stringify(stats.instruction_paths),
    tx.now,
  )
}

/** Replaces the index of what a pull request touches. */
export function setTouches(
  tx: Tx,
  pull: Pick<PullRow, 'id' | 'repo_id'>,
  { touches, folders }: { touches: readonly Touch[]; folders: readonly string[] },
): void {
  tx.db.run('DELETE FROM pull_touches WHERE pull_id = ?', pull.id)
  for (const { path, ranges } of touches) {
    tx.db.run(
      'INSERT OR REPLACE INTO pull_touches (pull_id, repo_id, path, ranges) VALUES (?, ?, ?, ?)',
      pull.id,
      pull.repo_id,
      path,
      JSON.stringify(ranges),
    )
  }
  tx.db.run('DELETE FROM pull_folders WHERE pull_id = ?', pull.id)
  for (const path of folders)
    tx.db.run(
      'INSERT INTO pull_folders (pull_id, repo_id, path) VALUES (?, ?, ?)',
      pull.id,
      pull.repo_id,
      path,
    )
}

/** The changed paths in the index. */
export const listTouchedPaths = (db: Db, pull_id: string): string[] =>
  db
    .all<{ path: string }>('SELECT path FROM pull_touches WHERE pull_id = ? ORDER BY path', pull_id)
    .map(({ path }) => path)

export type SharedPath = {
  pull_id: string
  path: string
  ranges: readonly LineRange[]
  own: readonly LineRange[]
}

/** Paths that other active pull requests of the repository change too, with both sides' lines. */
export const listSharedPaths = (
  db: Db,
  pull: Pick<PullRow, 'id' | 'repo_id'>,
  limit: number,
): SharedPath[] =>
  db
    .all<{ pull_id: string; path: string; ranges: string; own: string }>(
      `SELECT other.pull_id, other.path, other.ranges, own.ranges AS own
       FROM pull_touches AS own
       JOIN pull_touches AS other ON other.repo_id = own.repo_id AND other.path = own.path
         AND other.pull_id <> own.pull_id
       JOIN pulls ON pulls.id = other.pull_id AND pulls.active = 1
       WHERE own.pull_id = ? LIMIT ?`,
      pull.id,
      limit,
    )
    .map((row) => ({ ...row, ranges: JSON.parse(row.ranges), own: JSON.parse(row.own) }))

export type PathBelow = { pull_id: string; path: string }

/**
 * Paths of other active pull requests below directories that this one removes, and its own paths
 * below directories that others remove.
 */
export const listPathsBelow = (
  db: Db,
  pull: Pick<PullRow, 'id' | 'repo_id'>,
  limit: number,
): PathBelow[] =>
  db.all<PathBelow>(
    `SELECT t.pull_id, t.path FROM pull_folders f JOIN pull_touches t ON t.repo_id = f.repo_id
       AND t.path >= f.path AND t.path < substr(f.path, 1, length(f.path) - 1) || '0'
       JOIN pulls p ON p.id = t.pull_id AND p.active = 1 WHERE f.pull_id = ?1 AND t.pull_id <> ?1
     UNION
     SELECT f.pull_id, t.path FROM pull_folders f JOIN pulls p ON p.id = f.pull_id AND p.active = 1
       JOIN pull_touches t ON t.pull_id = ?1 AND t.path >= f.path
         AND t.path < substr(f.path, 1, length(f.path) - 1) || '0'
     WHERE f.repo_id = ?2 AND f.pull_id <> ?1 LIMIT ?3`,
    pull.id,
    pull.repo_id,
    limit,
  )
