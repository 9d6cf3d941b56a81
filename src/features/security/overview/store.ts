/** Counts of findings over the tables of the folders. */
import type { Db } from '#core/db.ts'
import type { Timestamp } from '#lib/time.ts'
import type { FindingCounts } from './schema.ts'

type Row = Omit<FindingCounts, 'kind' | 'is_used'> & { readonly is_used: 0 | 1 }

const countsOf = (kind: FindingCounts['kind'], row: Row | null): FindingCounts => ({
  kind,
  open: row?.open ?? 0,
  critical: row?.critical ?? 0,
  high: row?.high ?? 0,
  oldest_at: row?.oldest_at ?? null,
  opened: row?.opened ?? 0,
  closed: row?.closed ?? 0,
  is_used: row?.is_used === 1,
})

export const countCodeAlerts = (db: Db, repo_id: string, since: Timestamp): FindingCounts =>
  countsOf(
    'code',
    db.one<Row>(
      `SELECT count(*) FILTER (WHERE state = 'open') AS open,
         count(*) FILTER (WHERE state = 'open' AND severity = 'critical') AS critical,
         count(*) FILTER (WHERE state = 'open' AND severity = 'high') AS high,
         min(first_seen_at) FILTER (WHERE state = 'open') AS oldest_at,
         count(*) FILTER (WHERE first_seen_at >= ?2) AS opened,
         count(*) FILTER (WHERE coalesce(dismissed_at, fixed_at) >= ?2) AS closed,
         EXISTS (SELECT 1 FROM analyses WHERE repo_id = ?1) AS is_used
       FROM code_alerts WHERE repo_id = ?1 AND is_landed = 1`,
      repo_id,
      since,
    ),
  )

export const countSecretAlerts = (db: Db, repo_id: string, since: Timestamp): FindingCounts =>
  countsOf(
    'secret',
    db.one<Row>(
      `SELECT count(*) FILTER (WHERE state = 'open') AS open, 0 AS critical, 0 AS high,
         min(created_at) FILTER (WHERE state = 'open') AS oldest_at,
         count(*) FILTER (WHERE created_at >= ?2) AS opened,
         count(*) FILTER (WHERE resolved_at >= ?2) AS closed, 1 AS is_used
       FROM secret_alerts WHERE repo_id = ?1`,
      repo_id,
      since,
    ),
  )

export const countDependencyAlerts = (db: Db, repo_id: string, since: Timestamp): FindingCounts =>
  countsOf(
    'dependency',
    db.one<Row>(
      `SELECT count(*) FILTER (WHERE state = 'open') AS open,
         count(*) FILTER (WHERE state = 'open' AND severity = 'critical') AS critical,
         count(*) FILTER (WHERE state = 'open' AND severity = 'high') AS high,
         min(created_at) FILTER (WHERE state = 'open') AS oldest_at,
         count(*) FILTER (WHERE created_at >= ?2) AS opened,
         count(*) FILTER (WHERE coalesce(dismissed_at, fixed_at) >= ?2) AS closed,
         EXISTS (SELECT 1 FROM dependency_scans WHERE repo_id = ?1) AS is_used
       FROM dependency_alerts WHERE repo_id = ?1`,
      repo_id,
      since,
    ),
  )

/** Whether a repository has findings of any kind, so that its pages show the tab. */
export const hasFindings = (db: Db, repo_id: string): boolean =>
  db.one(
    `SELECT 1 WHERE EXISTS (SELECT 1 FROM analyses WHERE repo_id = ?1)
       OR EXISTS (SELECT 1 FROM dependency_scans WHERE repo_id = ?1)
       OR EXISTS (SELECT 1 FROM secret_alerts WHERE repo_id = ?1)`,
    repo_id,
  ) !== null
