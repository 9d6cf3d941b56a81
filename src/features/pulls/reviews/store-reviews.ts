/** The rows of reviews. */
import type { Db } from '#core/db.ts'
import { preload, memo } from '#core/read-scope.ts'
import { reportText } from '#core/texts.ts'
import type { Tx } from '#core/write.ts'
import type { Oid } from '#git'
import type { Timestamp } from '#lib/time.ts'
import type { Verdict } from '../schema.ts'

export type ReviewRow = {
  id: string
  pull_id: string
  author_id: string
  verdict: Verdict
  body: string
  commit_sha: Oid
  diff_id: string
  could_write: 0 | 1
  outdated: 0 | 1
  dismissed_by: string | null
  dismissed_at: Timestamp | null
  dismissed_reason: string | null
  created_at: Timestamp
}

export const findReview = (db: Db, pull_id: string, id: string): ReviewRow | null =>
  db.one<ReviewRow>('SELECT * FROM reviews WHERE pull_id = ? AND id = ?', pull_id, id)

/** The reviews of one pull request, oldest first. */
export const listReviewRows = (db: Db, pull_id: string): readonly ReviewRow[] =>
  memo(db, 'reviews', pull_id, () =>
    db.all<ReviewRow>('SELECT * FROM reviews WHERE pull_id = ? ORDER BY id', pull_id),
  )

/**
 * The reviews of several pull requests, by id, oldest first. They are also left in the read scope,
 * where `listReviewRows` finds them.
 */
export function reviewsOfAll(db: Db, pull_ids: readonly string[]): Map<string, ReviewRow[]> {
  const rows = db.all<ReviewRow>(
    'SELECT * FROM reviews WHERE pull_id IN (SELECT value FROM json_each(?)) ORDER BY id',
    JSON.stringify(pull_ids),
  )
  const byPull = Map.groupBy(rows, ({ pull_id }) => pull_id)
  preload(
    db,
    'reviews',
    pull_ids,
    () => byPull,
    () => [],
  )
  return byPull
}

export function insertReview(
  tx: Tx,
  row: Pick<
    ReviewRow,
    'id' | 'pull_id' | 'author_id' | 'verdict' | 'body' | 'commit_sha' | 'diff_id' | 'could_write'
  >,
): void {
  tx.db.run(
    `INSERT INTO reviews (id, pull_id, author_id, verdict, body, commit_sha, diff_id,
      could_write, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.pull_id,
    row.author_id,
    row.verdict,
    row.body,
    row.commit_sha,
    row.diff_id,
    row.could_write,
    tx.now,
  )
  reportText(tx, row.id, row.body)
}

export const setDismissed = (tx: Tx, id: string, by: string, reason: string): void =>
  void tx.db.run(
    'UPDATE reviews SET dismissed_by = ?, dismissed_at = ?, dismissed_reason = ? WHERE id = ?',
    by,
    tx.now,
    reason,
    id,
  )

/** Marks approvals of the draft as outdated when the pull request becomes ready. */
export const setApprovalsOutdated = (tx: Tx, pull_id: string): void =>
  void tx.db.run(
    `UPDATE reviews SET outdated = 1 WHERE pull_id = ? AND verdict = 'approve'`,
    pull_id,
  )

/** The beginnings of reviews by their ids. */
export const listReviewBodies = (
  db: Db,
  ids: readonly string[],
  length: number,
): { id: string; body: string }[] =>
  db.all(
    'SELECT id, substr(body, 1, ?) AS body FROM reviews WHERE id IN (SELECT value FROM json_each(?))',
    length,
    JSON.stringify(ids),
  )
