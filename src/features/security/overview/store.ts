/** Counts of findings over the tables of the folders. */
import type { Db } from '#core/db.ts'
import type { Timestamp } from '#lib/time.ts'
import { ALERT_SOURCES, type AlertKind } from './alert-sources.ts'
import type { FindingCounts } from './schema.ts'

type Row = Omit<FindingCounts, 'kind' | 'is_used'> & { readonly is_used: 0 | 1 }

export function countAlerts(
  db: Db,
  kind: AlertKind,
  repo_id: string,
  since: Timestamp,
): FindingCounts {
  const { table, severity, opened, closed, where, isUsed } = ALERT_SOURCES[kind]
  const row = db.one<Row>(
    `SELECT count(*) FILTER (WHERE state = 'open') AS open,
       count(*) FILTER (WHERE state = 'open' AND ${severity} = 'critical') AS critical,
       count(*) FILTER (WHERE state = 'open' AND ${severity} = 'high') AS high,
       min(${opened}) FILTER (WHERE state = 'open') AS oldest_at,
       count(*) FILTER (WHERE ${opened} >= ?2) AS opened,
       count(*) FILTER (WHERE ${closed} >= ?2) AS closed, ${isUsed} AS is_used
     FROM ${table} WHERE repo_id = ?1 AND ${where}`,
    repo_id,
    since,
  )
  if (!row) throw new TypeError('a count without groups has one row')
  return { kind, ...row, is_used: row.is_used === 1 }
}

/** Whether a repository has findings of any kind, so that its pages show the tab. */
export const hasFindings = (db: Db, repo_id: string): boolean =>
  db.one(
    `SELECT 1 WHERE EXISTS (SELECT 1 FROM analyses WHERE repo_id = ?1)
       OR EXISTS (SELECT 1 FROM dependency_scans WHERE repo_id = ?1)
       OR EXISTS (SELECT 1 FROM secret_alerts WHERE repo_id = ?1)`,
    repo_id,
  ) !== null
