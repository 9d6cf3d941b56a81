/** The table `notification_work`: work that is still to be processed. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Plan, Work } from './work.ts'

export type WorkRow = {
  readonly seq: number
  readonly data: Work
  readonly plan: Plan | null
  readonly told: string
}
type StoredWork = Omit<WorkRow, 'data' | 'plan'> & { data: string; plan: string | null }

/** Inserts work and returns its number. */
export const insertWork = (tx: Tx, data: Work): number =>
  tx.db.append('INSERT INTO notification_work (data) VALUES (?)', JSON.stringify(data))

export const setWork = (tx: Tx, seq: number, data: Work): void =>
  void tx.db.run('UPDATE notification_work SET data = ? WHERE seq = ?', JSON.stringify(data), seq)

/** Work that failed more often is not retried. */
const MAX_ATTEMPTS = 5

/** The oldest work, without the given numbers. */
export const nextWork = (db: Db, but: readonly number[], limit: number): WorkRow[] =>
  db
    .all<StoredWork>(
      `SELECT seq, data, plan, told FROM notification_work WHERE tries < ?
        AND seq NOT IN (SELECT value FROM json_each(?)) ORDER BY seq LIMIT ?`,
      MAX_ATTEMPTS,
      JSON.stringify(but),
      limit,
    )
    .map((row) => ({
      ...row,
      data: JSON.parse(row.data),
      plan: row.plan === null ? null : JSON.parse(row.plan),
    }))

/** The number of pieces that wait, and of those that failed for good. */
export const countWork = (db: Db): { waiting: number; failed: number } =>
  db.one(
    `SELECT coalesce(sum(tries < ?1), 0) AS waiting, coalesce(sum(tries >= ?1), 0) AS failed
      FROM notification_work`,
    MAX_ATTEMPTS,
  ) ?? { waiting: 0, failed: 0 }

/** Whether work is unchanged since it was read; checked again in a transaction. */
export const isUnchanged = (db: Db, { seq, plan, told }: WorkRow): boolean =>
  db.one(
    'SELECT 1 FROM notification_work WHERE seq = ? AND told = ? AND (plan IS NULL) = ?',
    seq,
    told,
    plan === null ? 1 : 0,
  ) !== null

export const setPlan = (tx: Tx, seq: number, plan: Plan): void =>
  void tx.db.run('UPDATE notification_work SET plan = ? WHERE seq = ?', JSON.stringify(plan), seq)

export const setDelivered = (tx: Tx, seq: number, told: string): void =>
  void tx.db.run('UPDATE notification_work SET told = ? WHERE seq = ?', told, seq)

export const setTried = (tx: Tx, seq: number): void =>
  void tx.db.run('UPDATE notification_work SET tries = tries + 1 WHERE seq = ?', seq)

export const removeWork = (tx: Tx, seq: number): void =>
  void tx.db.run('DELETE FROM notification_work WHERE seq = ?', seq)
