/** How many alerts were opened and closed in each week. */
import type { Db } from '#core/db.ts'
import { DAY, timestamp, type Timestamp } from '#lib/time.ts'
import { ALERT_SOURCES, type AlertKind } from './alert-sources.ts'
import type { WeekCounts } from './schema.ts'

/** One repository, or all of a workspace. */
export type TrendScope = { readonly repo_id: string } | { readonly workspace_id: string }

const IN_SCOPE = `repo_id IN (SELECT id FROM repos WHERE (id = ?1 OR workspace_id = ?2)
  AND deleted_at IS NULL AND parent_id IS NULL)`

/** The alerts of a kind by their week, 0 for the one that begins with `since`. */
const momentQueries = (kind: AlertKind): string[] => {
  const { table, opened, closed, where } = ALERT_SOURCES[kind]
  return [
    `SELECT ${opened} AS at, 1 AS opened, 0 AS closed FROM ${table}
     WHERE ${IN_SCOPE} AND ${where} AND ${opened} >= ?3`,
    `SELECT ${closed} AS at, 0 AS opened, 1 AS closed FROM ${table}
     WHERE ${IN_SCOPE} AND ${where} AND ${closed} >= ?3`,
  ]
}

const WEEK_MS = 7 * DAY

/** Oldest first, `weeks` of them from `since`. */
export function listWeeks(
  db: Db,
  scope: TrendScope,
  kinds: readonly AlertKind[],
  { since, weeks }: { since: Timestamp; weeks: number },
): WeekCounts[] {
  const rows =
    kinds.length === 0
      ? []
      : db.all<{ week: number; opened: number; closed: number }>(
          `SELECT CAST((julianday(at) - julianday(?3)) / 7 AS INTEGER) AS week,
             sum(opened) AS opened, sum(closed) AS closed
           FROM (${kinds.flatMap(momentQueries).join(' UNION ALL ')}) GROUP BY week`,
          'repo_id' in scope ? scope.repo_id : null,
          'workspace_id' in scope ? scope.workspace_id : null,
          since,
        )
  const byWeek = new Map(rows.map((row) => [row.week, row]))
  const start = Date.parse(since)
  return Array.from({ length: weeks }, (_, week) => ({
    from: timestamp(start + week * WEEK_MS),
    opened: byWeek.get(week)?.opened ?? 0,
    closed: byWeek.get(week)?.closed ?? 0,
  }))
}

export type RepoFindings = {
  readonly repo_id: string
  readonly open: number
  readonly critical: number
  readonly high: number
  readonly oldest_at: Timestamp
}

/** So that each branch is answered from its index of a repository. */
const IN_WORKSPACE =
  'repo_id IN (SELECT id FROM repos WHERE workspace_id = ?1 AND deleted_at IS NULL)'

/** The repositories of a workspace with open alerts, the most severe first. */
export const listReposWithFindings = (
  db: Db,
  workspace_id: string,
  limit: number,
): RepoFindings[] =>
  db.all<RepoFindings>(
    `SELECT f.repo_id, count(*) AS open, sum(f.severity = 'critical') AS critical,
       sum(f.severity = 'high') AS high, min(f.at) AS oldest_at
     FROM (
       SELECT repo_id, severity, first_seen_at AS at FROM code_alerts
         WHERE ${IN_WORKSPACE} AND state = 'open' AND is_landed = 1
       UNION ALL SELECT repo_id, coalesce(severity, 'low'), created_at FROM dependency_alerts
         WHERE ${IN_WORKSPACE} AND state = 'open'
       UNION ALL SELECT repo_id, 'secret', created_at FROM secret_alerts
         WHERE ${IN_WORKSPACE} AND state = 'open'
     ) f
     GROUP BY f.repo_id ORDER BY critical DESC, high DESC, open DESC, f.repo_id LIMIT ?2`,
    workspace_id,
    limit,
  )
