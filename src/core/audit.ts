/**
 * The audit log: one entry for every change of access, settings, tokens and secrets, in the
 * transaction of the change. Entries are chained: each holds the SHA-256 of the one before it, so
 * that a later hand in the table shows.
 */
import { sha256 } from '#lib/hash.ts'
import { idFrom, typeId } from '#lib/typeid.ts'
import type { Timestamp } from '#lib/time.ts'
import { actorId, type Caller } from './caller.ts'
import type { Db, WritableDb } from './db.ts'

/** Where a request came from, as the doors know it. */
export type Origin = {
  readonly request_id: string | null
  readonly ip: string | null
  readonly user_agent: string | null
}

export const nowhere: Origin = { request_id: null, ip: null, user_agent: null }

/** What a change is written down as. `data` holds what was before and after, never a secret. */
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

const COLUMNS =
  'id, time, actor_id, on_behalf_of, token_id, ip, user_agent, action, target_kind, target_id, target_name, workspace_id, repo_id, data, request_id, prev'
const LONGEST_USER_AGENT = 400

/**
 * What the next entry holds of this one: the SHA-256 of all its columns as a JSON array, in their
 * order.
 */
export const auditHash = (row: AuditRow): string =>
  sha256(JSON.stringify(COLUMNS.split(', ').map((column) => row[column as keyof AuditRow])))

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
    user_agent: origin.user_agent?.slice(0, LONGEST_USER_AGENT) ?? null,
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
  const values = COLUMNS.split(', ').map((column) => row[column as keyof AuditRow])
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
  /** An action, or the beginning of several (`token.`). */
  action?: string
  since?: Timestamp
  /** Only entries strictly older than this id. */
  before?: string | null
  limit: number
}

/** The actions that begin with a text, each found by one step in the index. */
const actionsFrom = (db: Db, beginning: string): string[] =>
  db
    .all<{ action: string }>(
      `WITH RECURSIVE found (action) AS (
         SELECT min(action) FROM audit_log WHERE action >= ?1
         UNION ALL
         SELECT (SELECT min(action) FROM audit_log WHERE action > found.action) FROM found WHERE found.action IS NOT NULL AND substr(found.action, 1, length(?1)) = ?1
       )
       SELECT action FROM found WHERE substr(action, 1, length(?1)) = ?1`,
      beginning,
    )
    .map(({ action }) => action)

/** Newest first. */
export function listAudit(db: Db, filter: AuditFilter): AuditRow[] {
  const { action } = filter
  // Of a few actions each has its newest; those of somebody or of a place are few enough to look
  // through.
  if (
    action?.endsWith('.') &&
    filter.workspace_id === undefined &&
    filter.actor_ids === undefined &&
    filter.repo_id === undefined
  ) {
    const rows = actionsFrom(db, action).flatMap((one) => listAudit(db, { ...filter, action: one }))
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
  // Ids are never before their time, so what is older is not even looked at.
  add('id >= ?', filter.since && idFrom('aud', filter.since))
  add('id < ?', filter.before)
  return db.all<AuditRow>(
    `SELECT ${COLUMNS} FROM audit_log WHERE ${where.join(' AND ') || '1'} ORDER BY id DESC LIMIT ?`,
    ...params,
    filter.limit,
  )
}

/**
 * Takes away entries from before a moment, the oldest first and up to the first that stays, at most
 * `limit`. Gives how many. The chain then begins with that one.
 */
export const removeAudit = (db: WritableDb, before: Timestamp, limit: number): number =>
  db.run(
    `WITH oldest AS (SELECT id, time FROM audit_log ORDER BY id LIMIT ?2)
     DELETE FROM audit_log WHERE id IN (SELECT id FROM oldest) AND id < coalesce((SELECT min(id) FROM oldest WHERE time >= ?1), '~')`,
    before,
    limit,
  )

/**
 * The first entry whose `prev` is not the hash of the one before it; null when the chain is whole.
 * The oldest one kept begins it.
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
