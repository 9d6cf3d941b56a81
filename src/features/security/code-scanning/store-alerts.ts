/** The tables `code_alerts`, `code_instances` and `code_rules`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Timestamp } from '#lib/time.ts'
import { SEVERITIES, type Severity } from '../schema.ts'
import type { SarifRule } from './sarif/rules.ts'
import type { CodeAlertState, DismissalReason } from './schema.ts'

export type CodeAlertRow = {
  readonly seq: number
  readonly id: string
  readonly repo_id: string
  readonly number: number
  readonly tool: string
  readonly rule_id: string
  readonly path: string
  readonly line_hash: string
  readonly severity: Severity
  readonly message: string
  readonly state: CodeAlertState
  readonly is_landed: 0 | 1
  readonly first_seen_at: Timestamp
  readonly fixed_at: Timestamp | null
  readonly dismissed_by: string | null
  readonly dismissed_at: Timestamp | null
  readonly dismissed_reason: DismissalReason | null
  readonly dismissed_note: string | null
}

export type InstanceRow = {
  readonly alert_id: string
  readonly ref: string
  readonly category: string
  readonly repo_id: string
  readonly tool: string
  readonly analysis_seq: number
  readonly tool_version: string | null
  readonly path: string
  readonly start_line: number
  readonly end_line: number
  readonly commit_sha: string
  readonly blob: string | null
  readonly state: 'open' | 'fixed'
  readonly is_new: 0 | 1
}

export type RuleRow = Omit<SarifRule, 'id' | 'tags'> & {
  readonly rule_id: string
  readonly tool: string
  /** JSON. */
  readonly tags: string
}

export const findCodeAlert = (db: Db, id: string): CodeAlertRow | null =>
  db.one<CodeAlertRow>('SELECT * FROM code_alerts WHERE id = ?', id)

export type AlertFilter = {
  readonly repo_id: string
  readonly state: CodeAlertState | null
  readonly severity: Severity | null
  readonly tool: string | null
  /** Alerts that these refs have; those that the default branch has or had, for none. */
  readonly refs: readonly string[]
}

/** The state of an alert on refs: dismissed wins, then open on any of them. */
const STATE_ON_REFS = `(CASE WHEN a.state = 'dismissed' THEN 'dismissed' ELSE
  (SELECT max(i.state) FROM code_instances i WHERE i.alert_id = a.id
     AND i.ref IN (SELECT value FROM json_each(?5))) END)`

/** The highest severity first, then the newest. */
export const listCodeAlertRows = (
  db: Db,
  filter: AlertFilter,
  window: { limit: number; offset: number },
): CodeAlertRow[] =>
  filter.refs.length === 0
    ? db.all<CodeAlertRow>(
        `SELECT * FROM code_alerts WHERE repo_id = ?1 AND is_landed = 1
           AND (?2 IS NULL OR state = ?2)
           AND (?3 IS NULL OR severity = ?3) AND (?4 IS NULL OR tool = ?4)
         ORDER BY severity_rank, seq DESC LIMIT ?5 OFFSET ?6`,
        filter.repo_id,
        filter.state,
        filter.severity,
        filter.tool,
        window.limit + 1,
        window.offset,
      )
    : db.all<CodeAlertRow>(
        `SELECT a.* FROM code_alerts a WHERE a.repo_id = ?1
           AND a.id IN (SELECT alert_id FROM code_instances
             WHERE repo_id = ?1 AND ref IN (SELECT value FROM json_each(?5)))
           AND (?2 IS NULL OR ${STATE_ON_REFS} = ?2)
           AND (?3 IS NULL OR a.severity = ?3) AND (?4 IS NULL OR a.tool = ?4)
         ORDER BY a.severity_rank, a.seq DESC LIMIT ?6 OFFSET ?7`,
        filter.repo_id,
        filter.state,
        filter.severity,
        filter.tool,
        JSON.stringify(filter.refs),
        window.limit + 1,
        window.offset,
      )

/** The alerts of a tool after one of them, for matching. */
export const listAlertKeys = (
  db: Db,
  repo_id: string,
  tool: string,
  after: number,
  limit: number,
): { seq: number; id: string; rule_id: string; path: string; line_hash: string; line: number }[] =>
  db.all(
    `SELECT a.seq, a.id, a.rule_id, a.path, a.line_hash, coalesce((SELECT min(i.start_line)
       FROM code_instances i WHERE i.alert_id = a.id), 0) AS line
     FROM code_alerts a WHERE a.repo_id = ? AND a.tool = ? AND a.seq > ? ORDER BY a.seq LIMIT ?`,
    repo_id,
    tool,
    after,
    limit,
  )

/** The ids of alerts that a ref has open in one category. */
export const listOpenOnRef = (
  db: Db,
  place: { repo_id: string; ref: string; tool: string; category: string },
): string[] =>
  db
    .all<{ alert_id: string }>(
      `SELECT alert_id FROM code_instances
       WHERE repo_id = ? AND ref = ? AND tool = ? AND category = ? AND state = 'open'`,
      place.repo_id,
      place.ref,
      place.tool,
      place.category,
    )
    .map(({ alert_id }) => alert_id)

export function insertCodeAlert(
  tx: Tx,
  row: Pick<
    CodeAlertRow,
    'id' | 'repo_id' | 'tool' | 'rule_id' | 'path' | 'line_hash' | 'severity' | 'message'
  >,
): void {
  tx.db.run(
    `INSERT INTO code_alerts (id, repo_id, number, tool, rule_id, path, line_hash, severity,
       severity_rank, message, state, first_seen_at)
     VALUES (?1, ?2, (SELECT coalesce(max(number), 0) + 1 FROM code_alerts WHERE repo_id = ?2),
       ?3, ?4, ?5, ?6, ?7, ?8, ?9, 'open', ?10)`,
    row.id,
    row.repo_id,
    row.tool,
    row.rule_id,
    row.path,
    row.line_hash,
    row.severity,
    SEVERITIES.indexOf(row.severity) + 1,
    row.message,
    tx.now,
  )
}

/** What the newest analysis says of an alert that was known. */
export const refreshCodeAlert = (
  tx: Tx,
  row: Pick<CodeAlertRow, 'id' | 'path' | 'severity' | 'message'>,
): void =>
  void tx.db.run(
    `UPDATE code_alerts SET path = ?, severity = ?, severity_rank = ?, message = ? WHERE id = ?`,
    row.path,
    row.severity,
    SEVERITIES.indexOf(row.severity) + 1,
    row.message,
    row.id,
  )

export const putInstance = (tx: Tx, row: InstanceRow): void =>
  void tx.db.run(
    `INSERT INTO code_instances (alert_id, ref, category, repo_id, tool, analysis_seq, tool_version,
       path, start_line, end_line, commit_sha, blob, state, is_new)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (alert_id, ref, category) DO UPDATE SET analysis_seq = excluded.analysis_seq,
       tool_version = excluded.tool_version, path = excluded.path, start_line = excluded.start_line,
       end_line = excluded.end_line, commit_sha = excluded.commit_sha, blob = excluded.blob,
       state = excluded.state, is_new = excluded.is_new`,
    row.alert_id,
    row.ref,
    row.category,
    row.repo_id,
    row.tool,
    row.analysis_seq,
    row.tool_version,
    row.path,
    row.start_line,
    row.end_line,
    row.commit_sha,
    row.blob,
    row.state,
    row.is_new,
  )

/** Instances of a ref that a newer analysis did not report. Returns their alerts. */
export const fixInstances = (
  tx: Tx,
  place: { repo_id: string; ref: string; tool: string; category: string; analysis_seq: number },
  limit: number,
): string[] => {
  const gone = tx.db
    .all<{ alert_id: string }>(
      `SELECT alert_id FROM code_instances WHERE repo_id = ? AND ref = ? AND tool = ?
         AND category = ? AND state = 'open' AND analysis_seq < ? LIMIT ?`,
      place.repo_id,
      place.ref,
      place.tool,
      place.category,
      place.analysis_seq,
      limit,
    )
    .map(({ alert_id }) => alert_id)
  tx.db.run(
    `UPDATE code_instances SET state = 'fixed', analysis_seq = ?
     WHERE ref = ? AND category = ? AND alert_id IN (SELECT value FROM json_each(?))`,
    place.analysis_seq,
    place.ref,
    place.category,
    JSON.stringify(gone),
  )
  return gone
}

/**
 * Sets the states of alerts by their instances: by those of the default branch once it had the
 * alert, otherwise by all.
 */
export function settleStates(tx: Tx, ids: readonly string[], default_ref: string): void {
  tx.db.run(
    `UPDATE code_alerts SET
       is_landed = is_landed = 1 OR EXISTS (SELECT 1 FROM code_instances i
         WHERE i.alert_id = code_alerts.id AND i.ref = ?2)
     WHERE id IN (SELECT value FROM json_each(?1))`,
    JSON.stringify(ids),
    default_ref,
  )
  tx.db.run(
    `UPDATE code_alerts SET
       state = CASE WHEN EXISTS (SELECT 1 FROM code_instances i WHERE i.alert_id = code_alerts.id
         AND i.state = 'open' AND (i.ref = ?2 OR code_alerts.is_landed = 0))
         THEN 'open' ELSE 'fixed' END
     WHERE id IN (SELECT value FROM json_each(?1)) AND state <> 'dismissed'`,
    JSON.stringify(ids),
    default_ref,
  )
  tx.db.run(
    `UPDATE code_alerts SET fixed_at = CASE state WHEN 'fixed' THEN coalesce(fixed_at, ?2) END
     WHERE id IN (SELECT value FROM json_each(?1)) AND state <> 'dismissed'`,
    JSON.stringify(ids),
    tx.now,
  )
}

export const setDismissal = (
  tx: Tx,
  id: string,
  dismissal: { by: string; reason: DismissalReason; note: string | null } | null,
): void =>
  void tx.db.run(
    `UPDATE code_alerts SET state = ?, dismissed_by = ?, dismissed_at = ?, dismissed_reason = ?,
       dismissed_note = ? WHERE id = ?`,
    dismissal === null ? 'open' : 'dismissed',
    dismissal?.by ?? null,
    dismissal === null ? null : tx.now,
    dismissal?.reason ?? null,
    dismissal?.note ?? null,
    id,
  )

export const listInstances = (db: Db, alert_id: string, limit: number): InstanceRow[] =>
  db.all<InstanceRow>(
    'SELECT * FROM code_instances WHERE alert_id = ? ORDER BY analysis_seq DESC, ref LIMIT ?',
    alert_id,
    limit,
  )

type AddedAlertRow = Pick<CodeAlertRow, 'id' | 'tool' | 'rule_id' | 'severity' | 'message'> &
  Pick<InstanceRow, 'path' | 'start_line' | 'commit_sha'>

/** Open alerts on lines that these refs of a pull request add, where they were seen last. */
export const listAddedAlertRows = (
  db: Db,
  repo_id: string,
  refs: readonly string[],
  limit: number,
): AddedAlertRow[] =>
  db.all<AddedAlertRow>(
    `SELECT a.id, a.tool, a.rule_id, a.severity, a.message, i.path, i.start_line, i.commit_sha,
       max(i.analysis_seq) AS latest
     FROM code_instances i JOIN code_alerts a ON a.id = i.alert_id
     WHERE i.repo_id = ?1 AND i.ref IN (SELECT value FROM json_each(?2)) AND i.state = 'open'
       AND i.is_new = 1 AND a.state <> 'dismissed'
     GROUP BY a.id ORDER BY a.severity_rank, a.seq LIMIT ?3`,
    repo_id,
    JSON.stringify(refs),
    limit,
  )

/** Of each alert the instance that is shown: on the preferred refs, open, newest. */
export const listShownInstances = (
  db: Db,
  alert_ids: readonly string[],
  refs: readonly string[],
): InstanceRow[] =>
  db.all<InstanceRow>(
    `SELECT * FROM (SELECT i.*, row_number() OVER (PARTITION BY alert_id
         ORDER BY ref IN (SELECT value FROM json_each(?2)) DESC, state DESC, analysis_seq DESC) AS n
       FROM code_instances i WHERE alert_id IN (SELECT value FROM json_each(?1))) WHERE n = 1`,
    JSON.stringify(alert_ids),
    JSON.stringify(refs),
  )

export const putRule = (tx: Tx, repo_id: string, tool: string, rule: SarifRule): void =>
  void tx.db.run(
    `INSERT INTO code_rules (repo_id, tool, rule_id, name, description, help, tags)
     VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (repo_id, tool, rule_id) DO UPDATE SET
       name = excluded.name, description = excluded.description, help = excluded.help,
       tags = excluded.tags`,
    repo_id,
    tool,
    rule.id,
    rule.name,
    rule.description,
    rule.help,
    JSON.stringify(rule.tags),
  )

export const listRules = (
  db: Db,
  repo_id: string,
  keys: readonly { tool: string; rule_id: string }[],
): RuleRow[] =>
  db.all<RuleRow>(
    `SELECT DISTINCT r.tool, r.rule_id, r.name, r.description, r.help, r.tags FROM json_each(?2) k
     JOIN code_rules r ON r.repo_id = ?1 AND r.tool = k.value ->> 'tool'
       AND r.rule_id = k.value ->> 'rule_id'`,
    repo_id,
    JSON.stringify(keys),
  )

/** Removes the instances of a ref that is gone. Returns their alerts. */
export const removeInstancesOfRef = (
  tx: Tx,
  repo_id: string,
  ref: string,
  limit: number,
): string[] => {
  const rows = tx.db.all<{ alert_id: string; category: string }>(
    'SELECT alert_id, category FROM code_instances WHERE repo_id = ? AND ref = ? LIMIT ?',
    repo_id,
    ref,
    limit,
  )
  tx.db.run(
    `DELETE FROM code_instances WHERE ref = ?2 AND (alert_id, category) IN (
       SELECT value ->> 'alert_id', value ->> 'category' FROM json_each(?1))`,
    JSON.stringify(rows),
    ref,
  )
  return rows.map(({ alert_id }) => alert_id)
}

export const removeCodeAlertsOfRepo = (tx: Tx, repo_id: string, limit: number): number =>
  tx.db.run(
    `DELETE FROM code_alerts WHERE seq IN (
       SELECT seq FROM code_alerts WHERE repo_id = ? ORDER BY seq LIMIT ?)`,
    repo_id,
    limit,
  )

export const hasInstancesOnRef = (db: Db, repo_id: string, ref: string): boolean =>
  db.one('SELECT 1 FROM code_instances WHERE repo_id = ? AND ref = ? LIMIT 1', repo_id, ref) !==
  null
