/** What both logs can be asked for, and going through them. */
import { listAudit, type AuditFilter } from '#core/audit.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { beforeOf, byBefore, keyPageOf } from '#core/page.ts'
import { Type, type ListOf } from '#core/schema.ts'
import { listActorIds } from '#features/accounts/index.ts'
import { invalid } from '#lib/errors.ts'
import { parseTimestamp } from '#lib/time.ts'
import { auditRecords } from './records.ts'
import type { AuditEntry } from './schema.ts'

const SIZES = { size: 50, max: 100 }

export const filters = {
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
  ...byBefore(SIZES),
}

type Given = {
  actor?: string
  action?: string
  since?: string
  before?: string
  per_page?: number
  cursor?: string
}
type Wanted = Omit<AuditFilter, 'limit' | 'before'>

/** Gives 422 for a time that is none. A name that nobody has finds nothing. */
export function wantedOf(db: Db, { actor, action, since }: Given): Wanted {
  const from = since === undefined ? undefined : parseTimestamp(since)
  if (from === null)
    throw invalid('since', 'since must be a date-time such as 2026-01-31T23:59:59Z')
  return {
    actor_ids: actor === undefined ? undefined : listActorIds(db, actor.toLowerCase()),
    action,
    since: from,
  }
}

/** The entry to go back from, null for the newest. Gives 404 for an id that none can have. */
export const startOf = (given: Given): string | null => beforeOf(given, 'aud', SIZES).before

export function auditPage(hearth: Hearth, wanted: Wanted, given: Given): ListOf<AuditEntry> {
  const { before, limit } = beforeOf(given, 'aud', SIZES)
  const page = keyPageOf(
    listAudit(hearth.db, { ...wanted, before, limit: limit + 1 }),
    limit,
    ({ id }) => id,
  )
  return { ...page, items: auditRecords(hearth, page.items) }
}

const AT_ONCE = 500

/** All entries from `before` back to the first, read in pieces as they are taken. */
export function* auditEntries(
  hearth: Hearth,
  wanted: Wanted,
  before: string | null,
): Generator<AuditEntry> {
  let from = before
  for (;;) {
    const rows = listAudit(hearth.db, { ...wanted, before: from, limit: AT_ONCE })
    yield* auditRecords(hearth, rows)
    const last = rows.at(-1)
    if (!last || rows.length < AT_ONCE) return
    from = last.id
  }
}
