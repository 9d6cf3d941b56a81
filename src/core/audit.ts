/**
 * The audit log: one entry for every change of access, settings, tokens and secrets, in the
 * transaction of the change. Each entry holds the SHA-256 of the entry before it, so that a later
 * edit of the table can be detected.
 */
import { sha256 } from '#lib/hash.ts'
import { lowestIdAt, typeId } from './ids.ts'
import type { Timestamp } from '#lib/time.ts'
import { actorId, type Caller } from './caller.ts'
import type { Db, WritableDb } from './db.ts'

/** The origin of a request, as the HTTP server knows it. */
export type Origin = {
  readonly request_id: string | null
  readonly ip: string | null
  readonly user_agent: string | null
}

export const nowhere: Origin = { request_id: null, ip: null, user_agent: null }

/** The entry of one change. `data` holds the values before and after, never a secret. */
export type AuditEntry = {
  /** Dotted: `workspace.base_permission_changed`. */
  readonly action: string
  readonly target: { readonly kind: string; readonly id: string; readonly name: string }
  readonly workspace_id?: string | null
  readonly repo_id?: string | null
  readonly data?: { readonly before?: unknown; readonly after?: unknown } & Record<string, unknown>
}

export type AuditRow = {
  id: string
  time: Timestamp
  actor_id: string | null
  on_behalf_of: string | null
  token_id: string | null
  ip: string | null
  user_agent: string | null
  action: string
  target_kind: string
  target_id: string
  target_name: string
  workspace_id: string | null
  repo_id: string | null
  data: string
  request_id: string | null
  prev: string
}

const COLUMN_NAMES = [
  'id',
  'time',
  'actor_id',
  'on_behalf_of',
  'token_id',
  'ip',
  'user_agent',
  'action',
  'target_kind',
  'target_id',
  'target_name',
  'workspace_id',
  'repo_id',
  'data',
  'request_id',
  'prev',
] as const satisfies readonly (keyof AuditRow)[]
const COLUMNS = COLUMN_NAMES.join(', ')
const MAX_USER_AGENT_CHARS = 400

/** The `prev` of the next entry: the SHA-256 of all columns of this one as a JSON array. */
export const auditHash = (row: AuditRow): string =>
  sha256(JSON.stringify(COLUMN_NAMES.map((column) => row[column])))

export function insertAudit(
  db: WritableDb,
  entry: AuditEntry,
  by: { caller: Caller | null; origin: Origin; now: Timestamp; now_ms: number },
): void {
  const { caller, origin } = by
  const last = db.one<AuditRow>(`SELECT ${COLUMNS} FROM audit_log ORDER BY id DESC LIMIT 1`)
  const row: AuditRow = {
    id: typeId('aud', by.now_ms),
    time: by.now,
    actor_id: caller && actorId(caller),
    on_behalf_of: caller?.kind === 'agent' ? caller.owner_id : null,
    token_id: caller && caller.kind !== 'anonymous' ? (caller.token?.id ?? null) : null,
    ip: origin.ip,
    user_agent: origin.user_agent?.slice(0, MAX_USER_AGENT_CHARS) ?? null,
    action: entry.action,
    target_kind: entry.target.kind,
    target_id: entry.target.id,
    target_name: entry.target.name,
    workspace_id: entry.workspace_id ?? null,
    repo_id: entry.repo_id ?? null,
    data: JSON.stringify(entry.data ?? {}),
    request_id: origin.request_id,
    prev: last ? auditHash(last) : '',
  }
  const values = COLUMN_NAMES.map((column) => row[column])
  db.run(
    `INSERT INTO audit_log (${COLUMNS}) VALUES (${values.map(() => '?').join(', ')})`,
    ...values,
  )
}

export type AuditFilter = {
  workspace_id?: string
  repo_id?: string
  /** Any of these actors. */
  actor_ids?: readonly string[]
  /** An action, or with a dot at its end a prefix of actions (`token.`). */
  action?: string
  since?: Timestamp
  /** Only entries strictly older than this id. */
  before?: string | null
  limit: number
}

/** The actions with a prefix. Each costs one seek in the index. */
const listActions = (db: Db, prefix: string): string[] =>
  db
    .all<{ action: string }>(
      `WITH RECURSIVE found (action) AS (
         SELECT min(action) FROM audit_log WHERE action >= ?1
         UNION ALL
         SELECT (SELECT min(action) FROM audit_log WHERE action > found.action) FROM found
          WHERE found.action IS NOT NULL AND substr(found.action, 1, length(?1)) = ?1
       )
       SELECT action FROM found WHERE substr(action, 1, length(?1)) = ?1`,
      prefix,
    )
    .map(({ action }) => action)

/** Newest first. */
export function listAudit(db: Db, filter: AuditFilter): AuditRow[] {
  const { action } = filter
  // Without another filter the newest rows of each action are read by its index. Rows of an actor,
  // workspace or repository are few enough to scan.
  if (
    action?.endsWith('.') &&
    filter.workspace_id === undefined &&
    filter.actor_ids === undefined &&
    filter.repo_id === undefined
  ) {
    const rows = listActions(db, action).flatMap((one) => listAudit(db, { ...filter, action: one }))
    return rows.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, filter.limit)
  }
  const where: string[] = []
  const params: string[] = []
  const add = (sql: string, value: string | null | undefined) => {
    if (value === null || value === undefined) return
    where.push(sql)
    params.push(value)
  }
  add('workspace_id = ?', filter.workspace_id)
  add('repo_id = ?', filter.repo_id)
  add(
    'actor_id IN (SELECT value FROM json_each(?))',
    filter.actor_ids && JSON.stringify(filter.actor_ids),
  )
  add(
    filter.action?.endsWith('.') ? 'substr(action, 1, length(?)) = ?' : 'action = ?',
    filter.action,
  )
  if (filter.action?.endsWith('.')) params.push(filter.action)
  add('time >= ?', filter.since)
  // An id never sorts before its time, so the index skips older rows.
  add('id >= ?', filter.since && lowestIdAt('aud', filter.since))
  add('id < ?', filter.before)
  return db.all<AuditRow>(
    `SELECT ${COLUMNS} FROM audit_log
     WHERE ${where.join(' AND ') || '1'} ORDER BY id DESC LIMIT ?`,
    ...params,
    filter.limit,
  )
}

/**
 * Deletes up to `limit` entries from before a time, the oldest first. Returns how many. The chain
 * then begins with the first remaining entry.
 */
export const removeAudit = (db: WritableDb, before: Timestamp, limit: number): number =>
  db.run(
    `WITH oldest AS (SELECT id, time FROM audit_log ORDER BY id LIMIT ?2)
     DELETE FROM audit_log WHERE id IN (SELECT id FROM oldest)
       AND id < coalesce((SELECT min(id) FROM oldest WHERE time >= ?1), '~')`,
    before,
    limit,
  )

/**
 * The id of the first entry whose `prev` is not the hash of the entry before it; null when the
 * chain is intact. The chain begins with the oldest entry.
 */
export function findBrokenLink(db: Db): string | null {
  let before: AuditRow | null = null
  let after = ''
  for (;;) {
    const rows: AuditRow[] = db.all<AuditRow>(
      `SELECT ${COLUMNS} FROM audit_log WHERE id > ? ORDER BY id LIMIT 1000`,
      after,
    )
    for (const row of rows) {
      if (before && row.prev !== auditHash(before)) return row.id
      before = row
    }
    const last = rows.at(-1)
    if (!last) return null
    after = last.id
  }
}
