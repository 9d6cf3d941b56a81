/** The table `stars`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'

export const hasStar = (db: Db, repo_id: string, user_id: string): boolean => db.one('SELECT 1 FROM stars WHERE user_id = ? AND repo_id = ?', user_id, repo_id) !== null

export const insertStar = (tx: Tx, repo_id: string, user_id: string): void =>
  void tx.db.run('INSERT INTO stars (user_id, repo_id, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING', user_id, repo_id, tx.now)

export const removeStar = (tx: Tx, repo_id: string, user_id: string): void => void tx.db.run('DELETE FROM stars WHERE user_id = ? AND repo_id = ?', user_id, repo_id)

export const countStars = (db: Db, repo_id: string): number => db.one<{ count: number }>('SELECT count(*) AS count FROM stars WHERE repo_id = ?', repo_id)?.count ?? 0

export const listStarrers = (db: Db, repo_id: string): string[] =>
  db.all<{ user_id: string }>('SELECT user_id FROM stars WHERE repo_id = ?', repo_id).map(({ user_id }) => user_id)
