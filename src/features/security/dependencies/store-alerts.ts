/** The tables `dependency_alerts` and `dependency_scans`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Oid } from '#git'
import type { AdvisorySeverity } from '#lib/advisories/osv.ts'
import type { Ecosystem } from '#lib/lock-files/locked-packages.ts'
import type { Timestamp } from '#lib/time.ts'
import type { DismissalReason } from '../code-scanning/schema.ts'
import type { DependencyAlertState } from './schema.ts'

/** What a comparison finds. */
export type Finding = {
  readonly ecosystem: Ecosystem
  readonly package: string
  readonly advisory_id: string
  readonly manifest: string
  readonly version: string
  readonly scope: 'runtime' | 'development'
  readonly is_direct: 0 | 1 | null
  readonly summary: string
  readonly severity: AdvisorySeverity | null
  /** JSON. */
  readonly aliases: string
  readonly url: string | null
  readonly fixed_in: string | null
}

export type DependencyAlertRow = Finding & {
  readonly seq: number
  readonly id: string
  readonly repo_id: string
  readonly severity_rank: number
  readonly state: DependencyAlertState
  readonly fixed_at: Timestamp | null
  readonly fixed_by: Oid | null
  readonly dismissed_by: string | null
  readonly dismissed_at: Timestamp | null
  readonly dismissed_reason: DismissalReason | null
  readonly dismissed_note: string | null
  readonly created_at: Timestamp
}

const RANKS = { critical: 1, high: 2, medium: 3, low: 4 } as const
const UNKNOWN_RANK = 5

export const severityRank = (severity: AdvisorySeverity | null): number =>
  severity === null ? UNKNOWN_RANK : RANKS[severity]

export const findDependencyAlert = (db: Db, id: string): DependencyAlertRow | null =>
  db.one<DependencyAlertRow>('SELECT * FROM dependency_alerts WHERE id = ?', id)

/** The highest severity first, then the newest. */
export const listDependencyAlertRows = (
  db: Db,
  filter: {
    readonly repo_id: string
    readonly state: DependencyAlertState | null
    readonly severity: AdvisorySeverity | null
    /** Only alerts of packages with these names. */
    readonly packages: readonly string[] | null
  },
  window: { limit: number; offset: number },
): DependencyAlertRow[] =>
  db.all<DependencyAlertRow>(
    `SELECT * FROM dependency_alerts WHERE repo_id = ?1 AND (?2 IS NULL OR state = ?2)
       AND (?3 IS NULL OR severity = ?3)
       AND (?4 IS NULL OR package IN (SELECT value FROM json_each(?4)))
     ORDER BY severity_rank, seq DESC LIMIT ?5 OFFSET ?6`,
    filter.repo_id,
    filter.state,
    filter.severity,
    filter.packages === null ? null : JSON.stringify(filter.packages),
    window.limit + 1,
    window.offset,
  )

/** Adds an alert with this id, or says again what is known of it. Returns the id of the alert. */
export const putDependencyAlert = (tx: Tx, repo_id: string, id: string, found: Finding): string =>
  tx.db.one<{ id: string }>(
    `INSERT INTO dependency_alerts (id, repo_id, ecosystem, package, advisory_id, manifest, version,
       scope, is_direct, summary, severity, severity_rank, aliases, url, fixed_in, state, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'open', ?)
     ON CONFLICT (repo_id, ecosystem, package, advisory_id, manifest) DO UPDATE SET
       version = excluded.version, scope = excluded.scope, is_direct = excluded.is_direct,
       summary = excluded.summary, severity = excluded.severity,
       severity_rank = excluded.severity_rank, aliases = excluded.aliases, url = excluded.url,
       fixed_in = excluded.fixed_in, fixed_at = NULL, fixed_by = NULL,
       state = CASE state WHEN 'dismissed' THEN 'dismissed' ELSE 'open' END
     RETURNING id`,
    id,
    repo_id,
    found.ecosystem,
    found.package,
    found.advisory_id,
    found.manifest,
    found.version,
    found.scope,
    found.is_direct,
    found.summary,
    found.severity,
    severityRank(found.severity),
    found.aliases,
    found.url,
    found.fixed_in,
    tx.now,
  )?.id ?? id

export type UnfixedAlert = Pick<
  DependencyAlertRow,
  'seq' | 'severity_rank' | 'state' | 'ecosystem' | 'package' | 'advisory_id' | 'manifest'
>

/** The alerts of a repository that are open or dismissed, after one of them. */
export const listUnfixed = (
  db: Db,
  repo_id: string,
  after: Pick<UnfixedAlert, 'severity_rank' | 'seq'>,
  limit: number,
): UnfixedAlert[] =>
  db.all(
    `SELECT seq, severity_rank, state, ecosystem, package, advisory_id, manifest
     FROM dependency_alerts
     WHERE repo_id = ? AND (severity_rank, seq) > (?, ?) AND state <> 'fixed'
     ORDER BY severity_rank, seq LIMIT ?`,
    repo_id,
    after.severity_rank,
    after.seq,
    limit,
  )

export const setFixed = (tx: Tx, seqs: readonly number[], by: Oid | null): void =>
  void tx.db.run(
    `UPDATE dependency_alerts SET state = 'fixed', fixed_at = ?, fixed_by = ?
     WHERE seq IN (SELECT value FROM json_each(?)) AND state = 'open'`,
    tx.now,
    by,
    JSON.stringify(seqs),
  )

export const setDismissal = (
  tx: Tx,
  id: string,
  dismissal: { by: string; reason: DismissalReason; note: string | null } | null,
): void =>
  void tx.db.run(
    `UPDATE dependency_alerts SET state = ?, dismissed_by = ?, dismissed_at = ?,
       dismissed_reason = ?, dismissed_note = ? WHERE id = ?`,
    dismissal === null ? 'open' : 'dismissed',
    dismissal?.by ?? null,
    dismissal === null ? null : tx.now,
    dismissal?.reason ?? null,
    dismissal?.note ?? null,
    id,
  )

/** The commit of the last comparison; null before the first. */
export const scannedCommit = (db: Db, repo_id: string): Oid | null =>
  db.one<{ commit_sha: Oid }>('SELECT commit_sha FROM dependency_scans WHERE repo_id = ?', repo_id)
    ?.commit_sha ?? null

export const putScan = (
  tx: Tx,
  row: { readonly repo_id: string; readonly commit_sha: Oid; readonly packages: number },
): void =>
  void tx.db.run(
    `INSERT INTO dependency_scans (repo_id, commit_sha, packages, scanned_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (repo_id) DO UPDATE SET commit_sha = excluded.commit_sha,
       packages = excluded.packages, scanned_at = excluded.scanned_at`,
    row.repo_id,
    row.commit_sha,
    row.packages,
    tx.now,
  )

export const removeDependencyAlertsOfRepo = (tx: Tx, repo_id: string, limit: number): number =>
  tx.db.run(
    `DELETE FROM dependency_alerts WHERE seq IN (
       SELECT seq FROM dependency_alerts WHERE repo_id = ? ORDER BY seq LIMIT ?)`,
    repo_id,
    limit,
  )
