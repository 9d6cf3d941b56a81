/** The filters and pages that both audit logs share. */
import { listAudit, type AuditFilter } from '#core/audit.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { beforeOf, byBefore, keyPageOf } from '#core/page.ts'
import { Type, type ListOf } from '#core/schema.ts'
import { listActorIds } from '#features/accounts/index.ts'
import { invalid } from '#lib/errors.ts'
import { parseTimestamp } from '#lib/time.ts'
import { auditRecords } from './audit-records.ts'
import type { AuditEntry } from './schema.ts'

const PAGE_SIZES = { size: 50, max: 100 }

export const auditFilters = {
  actor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 120,
      description: 'A username, the slug of a workspace, or <username>/<agent name>.',
    }),
  ),
  action: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'An action, or the beginning of several with its dot (token.).',
    }),
  ),
  since: Type.Optional(
    Type.String({ maxLength: 50, description: 'Only entries of this time or later, RFC 3339.' }),
  ),
  ...byBefore(PAGE_SIZES),
}

type AuditQuery = {
  actor?: string
  action?: string
  since?: string
  before?: string
  per_page?: number
  cursor?: string
}
type AuditCriteria = Omit<AuditFilter, 'limit' | 'before'>

/** Throws 422 for an invalid time. An unknown actor matches nothing. */
export function auditCriteriaOf(db: Db, { actor, action, since }: AuditQuery): AuditCriteria {
  const from = since === undefined ? undefined : parseTimestamp(since)
  if (from === null)
    throw invalid('since', 'since must be a date-time such as 2026-01-31T23:59:59Z')
  return {
    actor_ids: actor === undefined ? undefined : listActorIds(db, actor.toLowerCase()),
    action,
    since: from,
  }
}

/** The entry to start before; null starts at the newest. Throws 404 for a malformed id. */
export const startEntryOf = (query: AuditQuery): string | null =>
  beforeOf(query, 'aud', PAGE_SIZES).before

export function auditPage(
  hearth: Hearth,
  criteria: AuditCriteria,
  query: AuditQuery,
): ListOf<AuditEntry> {
  const { before, limit } = beforeOf(query, 'aud', PAGE_SIZES)
  const page = keyPageOf(
    listAudit(hearth.db, { ...criteria, before, limit: limit + 1 }),
    limit,
    ({ id }) => id,
  )
  return { ...page, items: auditRecords(hearth, page.items) }
}

const BATCH_SIZE = 500

/** All entries before `before`, newest first, read in batches while the caller consumes them. */
export function* auditEntries(
  hearth: Hearth,
  criteria: AuditCriteria,
  before: string | null,
): Generator<AuditEntry> {
  let from = before
  for (;;) {
    const rows = listAudit(hearth.db, { ...criteria, before: from, limit: BATCH_SIZE })
    yield* auditRecords(hearth, rows)
    const last = rows.at(-1)
    if (!last || rows.length < BATCH_SIZE) return
    from = last.id
  }
}
