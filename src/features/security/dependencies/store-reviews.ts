/** The table `dependency_reviews`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Oid } from '#git'
import type { DependencyChange } from './schema.ts'

type ReviewRow = {
  readonly repo_id: string
  readonly number: number
  readonly head_sha: Oid
  readonly base_sha: Oid
  /** JSON. */
  readonly changes: string
  readonly left_out: number
  readonly failing: number
}

export type StoredReview = Omit<ReviewRow, 'changes'> & {
  readonly changes: readonly DependencyChange[]
}

const parseRow = (row: ReviewRow): StoredReview => ({
  ...row,
  changes: JSON.parse(row.changes) as DependencyChange[],
})

export function findDependencyReview(db: Db, repo_id: string, number: number): StoredReview | null {
  const row = db.one<ReviewRow>(
    'SELECT * FROM dependency_reviews WHERE repo_id = ? AND number = ?',
    repo_id,
    number,
  )
  return row && parseRow(row)
}

export const putDependencyReview = (tx: Tx, review: StoredReview): void =>
  void tx.db.run(
    `INSERT INTO dependency_reviews (repo_id, number, head_sha, base_sha, changes, left_out, failing)
     VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (repo_id, number) DO UPDATE SET
       head_sha = excluded.head_sha, base_sha = excluded.base_sha, changes = excluded.changes,
       left_out = excluded.left_out, failing = excluded.failing`,
    review.repo_id,
    review.number,
    review.head_sha,
    review.base_sha,
    JSON.stringify(review.changes),
    review.left_out,
    review.failing,
  )

export const setFailing = (
  tx: Tx,
  { repo_id, number, head_sha }: Pick<StoredReview, 'repo_id' | 'number' | 'head_sha'>,
  failing: number,
): void =>
  void tx.db.run(
    `UPDATE dependency_reviews SET failing = ? WHERE repo_id = ? AND number = ? AND head_sha = ?`,
    failing,
    repo_id,
    number,
    head_sha,
  )

/** Reviews of a repository with changes, after a number. */
export const listDependencyReviews = (
  db: Db,
  repo_id: string,
  after: number,
  limit: number,
): StoredReview[] =>
  db
    .all<ReviewRow>(
      `SELECT * FROM dependency_reviews WHERE repo_id = ? AND number > ? AND changes <> '[]'
       ORDER BY number LIMIT ?`,
      repo_id,
      after,
      limit,
    )
    .map(parseRow)

/** Of these heads the number of advisories that fail their check. */
export const listReviewedHeads = (
  db: Db,
  repo_id: string,
  shas: readonly Oid[],
): { head_sha: Oid; failing: number }[] =>
  db.all(
    `SELECT head_sha, max(failing) AS failing FROM dependency_reviews
     WHERE repo_id = ? AND head_sha IN (SELECT value FROM json_each(?)) GROUP BY head_sha`,
    repo_id,
    JSON.stringify(shas),
  )
