/** The table `advisories`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Timestamp } from '#lib/time.ts'
import type { Advisory, AdvisoryState, ReportSeverity } from './schema.ts'

export type AdvisoryRow = {
  readonly seq: number
  readonly id: string
  readonly repo_id: string
  readonly report_id: string | null
  readonly title: string
  readonly description: string
  readonly severity: ReportSeverity
  readonly cve: string | null
  readonly cvss: string | null
  /** JSON. */
  readonly packages: string
  /** JSON. */
  readonly credits: string
  readonly state: AdvisoryState
  readonly created_by: string | null
  readonly created_at: Timestamp
  readonly updated_at: Timestamp
  readonly published_at: Timestamp | null
}

export const findAdvisory = (db: Db, id: string): AdvisoryRow | null =>
  db.one<AdvisoryRow>('SELECT * FROM advisories WHERE id = ?', id)

/** Newest first. `draftsOf` is whose drafts are among them: those that a person is invited to. */
export const listAdvisoryRows = (
  db: Db,
  repo_id: string,
  { states, draftsOf }: { states: readonly AdvisoryState[]; draftsOf: string | null },
  window: { limit: number; offset: number },
): AdvisoryRow[] =>
  db.all<AdvisoryRow>(
    `SELECT * FROM advisories WHERE repo_id = ? AND state IN (SELECT value FROM json_each(?))
       AND (state <> 'draft' OR ?3 = 'all' OR id IN
         (SELECT advisory_id FROM advisory_collaborators WHERE user_id = ?3))
     ORDER BY seq DESC LIMIT ? OFFSET ?`,
    repo_id,
    JSON.stringify(states),
    draftsOf,
    window.limit + 1,
    window.offset,
  )

export type AdvisoryContent = {
  readonly title: string
  readonly description: string
  readonly severity: ReportSeverity
  readonly cve: string | null
  readonly cvss: string | null
  readonly packages: Advisory['packages']
  readonly credits: readonly string[]
}

export const insertAdvisory = (
  tx: Tx,
  row: AdvisoryContent &
    Pick<AdvisoryRow, 'id' | 'repo_id' | 'report_id'> & { readonly created_by: string },
): void =>
  void tx.db.run(
    `INSERT INTO advisories (id, repo_id, report_id, title, description, severity, cve, cvss, packages,
       credits, created_by, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.repo_id,
    row.report_id,
    row.title,
    row.description,
    row.severity,
    row.cve,
    row.cvss,
    JSON.stringify(row.packages),
    JSON.stringify(row.credits),
    row.created_by,
    tx.now,
    tx.now,
  )

export const setAdvisory = (
  tx: Tx,
  id: string,
  content: AdvisoryContent & { readonly state: AdvisoryState },
): void =>
  void tx.db.run(
    `UPDATE advisories SET state = ?1, updated_at = ?2, title = ?4, description = ?5, severity = ?6,
       cve = ?7, packages = ?8, credits = ?9, cvss = ?10,
       published_at = CASE ?1 WHEN 'draft' THEN NULL ELSE coalesce(published_at, ?2) END
     WHERE id = ?3`,
    content.state,
    tx.now,
    id,
    content.title,
    content.description,
    content.severity,
    content.cve,
    JSON.stringify(content.packages),
    JSON.stringify(content.credits),
    content.cvss,
  )
