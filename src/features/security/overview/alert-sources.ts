/** Where the numbers of each kind of alerts come from. */
import type { ALERT_KINDS } from '../schema.ts'

export type AlertKind = (typeof ALERT_KINDS)[number]

/** SQL over the table of a kind. */
type AlertSource = {
  readonly table: string
  readonly severity: string
  /** When an alert was opened. */
  readonly opened: string
  /** When it was closed; null while it is open. */
  readonly closed: string
  /** Which alerts count. */
  readonly where: string
  /** Whether anything was ever looked at in the repository `?1`. */
  readonly isUsed: string
}

export const ALERT_SOURCES: Readonly<Record<AlertKind, AlertSource>> = {
  code: {
    table: 'code_alerts',
    severity: 'severity',
    opened: 'first_seen_at',
    closed: 'coalesce(dismissed_at, fixed_at)',
    where: 'is_landed = 1',
    isUsed: 'EXISTS (SELECT 1 FROM analyses WHERE repo_id = ?1)',
  },
  dependency: {
    table: 'dependency_alerts',
    severity: 'severity',
    opened: 'created_at',
    closed: 'coalesce(dismissed_at, fixed_at)',
    where: '1',
    isUsed: 'EXISTS (SELECT 1 FROM dependency_scans WHERE repo_id = ?1)',
  },
  secret: {
    table: 'secret_alerts',
    severity: 'NULL',
    opened: 'created_at',
    closed: 'resolved_at',
    where: '1',
    isUsed: '1',
  },
}
