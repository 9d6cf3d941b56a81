/** The table `stars`. */
import type { Db } from '#core/db.ts'
import { preload, memo } from '#core/read-scope.ts'
import type { Tx } from '#core/write.ts'

export const hasStar = (db: Db, repo_id: string, user_id: string): boolean =>
  db.one('SELECT 1 FROM stars WHERE user_id = ? AND repo_id = ?', user_id, repo_id) !== null

export const insertStar = (tx: Tx, repo_id: string, user_id: string): void =>
  void tx.db.run(
    'INSERT INTO stars (user_id, repo_id, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    user_id,
    repo_id,
    tx.now,
  )

export const removeStar = (tx: Tx, repo_id: string, user_id: string): void =>
  void tx.db.run('DELETE FROM stars WHERE user_id = ? AND repo_id = ?', user_id, repo_id)

export const countStars = (db: Db, repo_id: string): number =>
  memo(
    db,
    'stars',
    repo_id,
    () =>
      db.one<{ count: number }>('SELECT count(*) AS count FROM stars WHERE repo_id = ?', repo_id)
        ?.count ?? 0,
  )

export const listStarrers = (db: Db, repo_id: string): readonly string[] =>
  memo(db, 'starrers', repo_id, () =>
    db
      .all<{ user_id: string }>('SELECT user_id FROM stars WHERE repo_id = ?', repo_id)
      .map(({ user_id }) => user_id),
  )

/**
 * Preloads the stars of repositories into the current read scope; their givers only for private
 * repositories.
 */
export function preloadStars(db: Db, repo_ids: readonly string[]): void {
  const ids = JSON.stringify(repo_ids)
  preload(
    db,
    'stars',
    repo_ids,
    () => {
      const rows = db.all<{ repo_id: string; count: number }>(
        `SELECT repo_id, count(*) AS count FROM stars WHERE repo_id IN (SELECT value
          FROM json_each(?)) GROUP BY repo_id`,
        ids,
      )
      return new Map(rows.map(({ repo_id, count }) => [repo_id, count]))
    },
    () => 0,
  )
  const rows = db.all<{ id: string; user_id: string | null }>(
    `SELECT r.id, s.user_id FROM json_each(?) i JOIN repos r ON r.id = i.value LEFT
      JOIN stars s ON s.repo_id = r.id WHERE r.private = 1`,
    ids,
  )
  const starrers = Map.groupBy(rows, ({ id }) => id)
  preload(
    db,
    'starrers',
    [...starrers.keys()],
    () =>
      new Map([...starrers].map(([id, all]) => [id, all.flatMap(({ user_id }) => user_id ?? [])])),
    () => [],
  )
}
