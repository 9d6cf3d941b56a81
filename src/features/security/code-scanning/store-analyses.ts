/** The tables `sarif_uploads` and `analyses`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import { timestamp, type Timestamp } from '#lib/time.ts'
import type { Analysis } from './schema.ts'

export type UploadRow = {
  readonly seq: number
  readonly id: string
  readonly repo_id: string
  readonly state: 'pending' | 'complete' | 'failed'
  readonly commit_sha: string
  readonly git_ref: string
  readonly pull: number | null
  readonly category: string | null
  readonly tool_name: string | null
  readonly sha256: string | null
  /** JSON. */
  readonly errors: string
  readonly created_by: string | null
  readonly is_vouched: 0 | 1
  readonly created_at: Timestamp
}

export type AnalysisRow = {
  readonly seq: number
  readonly id: string
  readonly repo_id: string
  readonly upload_id: string
  readonly run_index: number
  readonly tool: string
  readonly tool_version: string | null
  readonly category: string
  readonly commit_sha: string
  readonly head_sha: string
  readonly git_ref: string
  readonly pull: number | null
  readonly results: number
  readonly new_alerts: number
  readonly fixed_alerts: number
  readonly dropped: number
  readonly is_complete: 0 | 1
  readonly created_at: Timestamp
}

export const analysisRecord = (row: AnalysisRow): Analysis => ({
  id: row.id,
  repo_id: row.repo_id,
  sarif_id: row.upload_id,
  tool: row.tool,
  tool_version: row.tool_version,
  category: row.category,
  commit_sha: row.commit_sha,
  git_ref: row.git_ref,
  pull: row.pull,
  results: row.results,
  new_alerts: row.new_alerts,
  fixed_alerts: row.fixed_alerts,
  dropped: row.dropped,
  created_at: row.created_at,
})

export const findUpload = (db: Db, id: string): UploadRow | null =>
  db.one<UploadRow>('SELECT * FROM sarif_uploads WHERE id = ?', id)

export const insertUpload = (
  tx: Tx,
  row: Omit<UploadRow, 'seq' | 'state' | 'errors' | 'created_at'>,
): void =>
  void tx.db.run(
    `INSERT INTO sarif_uploads (id, repo_id, commit_sha, git_ref, pull, category, tool_name, sha256,
       created_by, is_vouched, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.repo_id,
    row.commit_sha,
    row.git_ref,
    row.pull,
    row.category,
    row.tool_name,
    row.sha256,
    row.created_by,
    row.is_vouched,
    tx.now,
  )

export const setUploadState = (
  tx: Tx,
  id: string,
  state: UploadRow['state'],
  errors: readonly string[],
): void =>
  void tx.db.run(
    'UPDATE sarif_uploads SET state = ?, errors = ? WHERE id = ?',
    state,
    JSON.stringify(errors),
    id,
  )

/** Lets go of files that are older than `keepMs`. */
export const expireUploads = (tx: Tx, keepMs: number, limit: number): number =>
  tx.db.run(
    `UPDATE sarif_uploads SET sha256 = NULL WHERE seq IN (
       SELECT seq FROM sarif_uploads WHERE created_at < ? AND sha256 IS NOT NULL LIMIT ?)`,
    timestamp(tx.now_ms - keepMs),
    limit,
  )

export const holdsUploadBlob = (db: Db, sha256: string): boolean =>
  db.one('SELECT 1 FROM sarif_uploads WHERE sha256 = ? LIMIT 1', sha256) !== null

export const listUploadBlobs = (db: Db): string[] =>
  db
    .all<{ sha256: string }>('SELECT DISTINCT sha256 FROM sarif_uploads WHERE sha256 IS NOT NULL')
    .map(({ sha256 }) => sha256)

export const removeUploadsOfRepo = (tx: Tx, repo_id: string, limit: number): number =>
  tx.db.run(
    `DELETE FROM sarif_uploads WHERE seq IN (
       SELECT seq FROM sarif_uploads WHERE repo_id = ? ORDER BY seq LIMIT ?)`,
    repo_id,
    limit,
  )

export const findAnalysis = (db: Db, id: string): AnalysisRow | null =>
  db.one<AnalysisRow>('SELECT * FROM analyses WHERE id = ?', id)

export const findAnalysisOfRun = (
  db: Db,
  upload_id: string,
  run_index: number,
): AnalysisRow | null =>
  db.one<AnalysisRow>(
    'SELECT * FROM analyses WHERE upload_id = ? AND run_index = ?',
    upload_id,
    run_index,
  )

export const listAnalysesOfUpload = (db: Db, upload_id: string): AnalysisRow[] =>
  db.all<AnalysisRow>(
    'SELECT * FROM analyses WHERE upload_id = ? AND is_complete = 1 ORDER BY run_index',
    upload_id,
  )

type NewAnalysis = Omit<
  AnalysisRow,
  'seq' | 'new_alerts' | 'fixed_alerts' | 'is_complete' | 'created_at'
>

export const insertAnalysis = (tx: Tx, row: NewAnalysis): void =>
  void tx.db.run(
    `INSERT INTO analyses (id, repo_id, upload_id, run_index, tool, tool_version, category,
       commit_sha, head_sha, git_ref, pull, results, dropped, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.repo_id,
    row.upload_id,
    row.run_index,
    row.tool,
    row.tool_version,
    row.category,
    row.commit_sha,
    row.head_sha,
    row.git_ref,
    row.pull,
    row.results,
    row.dropped,
    tx.now,
  )

/** Adds to what was counted so far, because a large analysis is stored in several transactions. */
export const countAlertsOf = (
  tx: Tx,
  seq: number,
  counts: { readonly opened?: number; readonly fixed?: number },
): void =>
  void tx.db.run(
    'UPDATE analyses SET new_alerts = new_alerts + ?, fixed_alerts = fixed_alerts + ? WHERE seq = ?',
    counts.opened ?? 0,
    counts.fixed ?? 0,
    seq,
  )

export const completeAnalysis = (tx: Tx, seq: number): void =>
  void tx.db.run('UPDATE analyses SET is_complete = 1 WHERE seq = ?', seq)

export type AnalysisFilter = {
  readonly repo_id: string
  readonly ref: string | null
  readonly tool: string | null
  readonly category: string | null
}

/** Newest first. */
export const listAnalysisRows = (
  db: Db,
  filter: AnalysisFilter,
  window: { limit: number; offset: number },
): AnalysisRow[] =>
  db.all<AnalysisRow>(
    `SELECT * FROM analyses WHERE repo_id = ?1 AND is_complete = 1 AND (?2 IS NULL OR git_ref = ?2)
       AND (?3 IS NULL OR tool = ?3) AND (?4 IS NULL OR category = ?4)
     ORDER BY seq DESC LIMIT ?5 OFFSET ?6`,
    filter.repo_id,
    filter.ref,
    filter.tool,
    filter.category,
    window.limit + 1,
    window.offset,
  )

export const removeAnalysesOfRepo = (tx: Tx, repo_id: string, limit: number): number =>
  tx.db.run(
    `DELETE FROM analyses WHERE seq IN (
       SELECT seq FROM analyses WHERE repo_id = ? ORDER BY seq LIMIT ?)`,
    repo_id,
    limit,
  )

/** At most `limit`, so that it reads no more. */
export const countPendingUploads = (db: Db, repo_id: string, limit: number): number =>
  db.one<{ count: number }>(
    `SELECT count(*) AS count FROM (SELECT 1 FROM sarif_uploads
       WHERE repo_id = ? AND state = 'pending' LIMIT ?)`,
    repo_id,
    limit,
  )?.count ?? 0

type PullResultRow = {
  readonly head_sha: string
  readonly tool: string
  readonly failing: number
  readonly is_vouched: 0 | 1
}

/** Of each tool the latest analyses of a head, with the number of alerts that fail its check. */
export const listPullResults = (
  db: Db,
  repo_id: string,
  shas: readonly string[],
): PullResultRow[] =>
  db.all<PullResultRow>(
    `SELECT n.head_sha, n.tool, sum((SELECT count(*) FROM code_instances i
         JOIN code_alerts a ON a.id = i.alert_id
       WHERE i.repo_id = n.repo_id AND i.ref = n.git_ref AND i.tool = n.tool
         AND i.category = n.category AND i.state = 'open' AND i.analysis_seq = n.seq
         AND i.is_new = 1 AND a.state <> 'dismissed' AND a.severity_rank <= 2)) AS failing,
       min(u.is_vouched) AS is_vouched
     FROM analyses n JOIN sarif_uploads u ON u.id = n.upload_id
     WHERE n.repo_id = ?1 AND n.pull IS NOT NULL AND n.is_complete = 1
       AND n.head_sha IN (SELECT value FROM json_each(?2))
       AND NOT EXISTS (SELECT 1 FROM analyses later WHERE later.repo_id = n.repo_id
         AND later.git_ref = n.git_ref AND later.tool = n.tool AND later.category = n.category
         AND later.is_complete = 1 AND later.seq > n.seq)
     GROUP BY n.head_sha, n.tool ORDER BY n.tool`,
    repo_id,
    JSON.stringify(shas),
  )
