/** The table `vulnerability_reports`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Timestamp } from '#lib/time.ts'
import type { ReportSeverity, ReportState } from './schema.ts'

export type ReportRow = {
  readonly seq: number
  readonly id: string
  readonly repo_id: string
  readonly reporter_id: string | null
  readonly email: string | null
  readonly title: string
  readonly description: string
  readonly severity: ReportSeverity | null
  readonly state: ReportState
  readonly created_at: Timestamp
  readonly reviewed_by: string | null
  readonly reviewed_at: Timestamp | null
  readonly review_note: string | null
  readonly advisory_id: string | null
}

const SELECT = `SELECT r.*, (SELECT a.id FROM advisories a WHERE a.report_id = r.id) AS advisory_id
  FROM vulnerability_reports r`

export const findReport = (db: Db, id: string): ReportRow | null =>
  db.one<ReportRow>(`${SELECT} WHERE r.id = ?`, id)

export const findReportBySecret = (db: Db, secret_hash: string): ReportRow | null =>
  db.one<ReportRow>(`${SELECT} WHERE r.secret_hash = ?`, secret_hash)

/** New ones first, then the newest. */
export const listReportRows = (
  db: Db,
  repo_id: string,
  state: ReportState | null,
  window: { limit: number; offset: number },
): ReportRow[] =>
  db.all<ReportRow>(
    `${SELECT} WHERE r.repo_id = ?1 AND (?2 IS NULL OR r.state = ?2)
     ORDER BY r.state <> 'new', r.seq DESC LIMIT ?3 OFFSET ?4`,
    repo_id,
    state,
    window.limit + 1,
    window.offset,
  )

export const insertReport = (
  tx: Tx,
  row: Pick<
    ReportRow,
    'id' | 'repo_id' | 'reporter_id' | 'email' | 'title' | 'description' | 'severity'
  > & { readonly secret_hash: string | null },
): void =>
  void tx.db.run(
    `INSERT INTO vulnerability_reports (id, repo_id, reporter_id, email, title, description,
       severity, secret_hash, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.repo_id,
    row.reporter_id,
    row.email,
    row.title,
    row.description,
    row.severity,
    row.secret_hash,
    tx.now,
  )

export const setReview = (
  tx: Tx,
  id: string,
  review: {
    readonly state: ReportState
    readonly severity: ReportSeverity | null
    readonly by: string
    readonly note: string | null
  },
): void =>
  void tx.db.run(
    `UPDATE vulnerability_reports SET state = ?, severity = ?, reviewed_by = ?, reviewed_at = ?,
       review_note = ? WHERE id = ?`,
    review.state,
    review.severity,
    review.by,
    tx.now,
    review.note,
    id,
  )

/** Reports of one account since a time, over all repositories. */
export const countReportsOf = (db: Db, reporter_id: string, since: Timestamp): number =>
  db.one<{ count: number }>(
    `SELECT count(*) AS count FROM vulnerability_reports
     WHERE reporter_id = ? AND created_at >= ?`,
    reporter_id,
    since,
  )?.count ?? 0

/** Whether a repository has a report or an advisory. */
export const hasReports = (db: Db, repo_id: string): boolean =>
  db.one(
    `SELECT 1 WHERE EXISTS (SELECT 1 FROM vulnerability_reports WHERE repo_id = ?1)
       OR EXISTS (SELECT 1 FROM advisories WHERE repo_id = ?1)`,
    repo_id,
  ) !== null

export const countNewReports = (db: Db, repo_id: string): number =>
  db.one<{ count: number }>(
    `SELECT count(*) AS count FROM vulnerability_reports WHERE repo_id = ? AND state = 'new'`,
    repo_id,
  )?.count ?? 0
