/** The table `dependency_reviews`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Oid } from '#git'
import type { AdvisorySeverity } from '#lib/advisories/osv.ts'
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
  /** JSON. */
  readonly advisories: string
}

/** An advisory of a package in a lock file. */
export type ReviewedAdvisory = {
  readonly id: string
  readonly severity: AdvisorySeverity | null
  readonly package: string
  readonly manifest: string
  readonly url: string | null
}

/** What the changes of a pull request open and mend, by the advisories of the last import. */
export type ReviewRating = {
  /** Advisories of a high or critical severity that the changes bring in. */
  readonly failing: number
  readonly advisories: {
    readonly opens: readonly ReviewedAdvisory[]
    readonly mends: readonly ReviewedAdvisory[]
  }
}

export type StoredReview = Omit<ReviewRow, 'changes' | 'advisories'> &
  ReviewRating & { readonly changes: readonly DependencyChange[] }

const parseRow = (row: ReviewRow): StoredReview => ({
  ...row,
  changes: JSON.parse(row.changes) as DependencyChange[],
  advisories: JSON.parse(row.advisories) as ReviewRating['advisories'],
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
    `INSERT INTO dependency_reviews (repo_id, number, head_sha, base_sha, changes, left_out, failing,
       advisories)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (repo_id, number) DO UPDATE SET
       head_sha = excluded.head_sha, base_sha = excluded.base_sha, changes = excluded.changes,
       left_out = excluded.left_out, failing = excluded.failing,
       advisories = excluded.advisories`,
    review.repo_id,
    review.number,
    review.head_sha,
    review.base_sha,
    JSON.stringify(review.changes),
    review.left_out,
    review.failing,
    JSON.stringify(review.advisories),
  )

export const setRating = (
  tx: Tx,
  { repo_id, number, head_sha }: Pick<StoredReview, 'repo_id' | 'number' | 'head_sha'>,
  { failing, advisories }: ReviewRating,
): void =>
  void tx.db.run(
    `UPDATE dependency_reviews SET failing = ?, advisories = ?
     WHERE repo_id = ? AND number = ? AND head_sha = ?`,
    failing,
    JSON.stringify(advisories),
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
