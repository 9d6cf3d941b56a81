/** Records of upstreams, and what operations on them share. */
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import { actorOf } from '#features/accounts/index.ts'
import { notFound } from '#lib/errors.ts'
import { formatOf } from '../formats/index.ts'
import type { Upstream } from './schema.ts'
import { cacheTotals, findUpstream, type UpstreamRow } from './store.ts'

export const prefixesOf = ({ reserved }: Pick<UpstreamRow, 'reserved'>): string[] =>
  JSON.parse(reserved) as string[]

export const upstreamRecord = (
  hearth: Hearth,
  db: Db,
  row: UpstreamRow,
  workspace: string,
): Upstream => ({
  package_type: row.type,
  workspace,
  address: formatOf(row.type)?.address(hearth.settings.site_url, workspace, '') ?? '',
  url: row.url,
  username: row.username,
  has_secret: row.secret !== null,
  reserved_prefixes: prefixesOf(row),
  min_age_days: row.min_age_days,
  keep_days: row.keep_days,
  max_bytes: row.max_bytes,
  ...cacheTotals(db, row.id),
  last_error: row.last_error,
  failed_at: row.failed_at,
  created_by: row.created_by === null ? null : actorOf(hearth, row.created_by),
  created_at: row.created_at,
  updated_at: row.updated_at,
})

/** Throws 404 for a type without an upstream. */
export function requireUpstream(db: Db, workspace_id: string, type: string): UpstreamRow {
  const row = findUpstream(db, workspace_id, type)
  if (row === null) throw notFound(`the upstream for ${type}`)
  return row
}

/** The audited values of an upstream, without its secret. */
const auditedValues = (row: UpstreamRow | null) =>
  row && {
    url: row.url,
    username: row.username,
    has_secret: row.secret !== null,
    reserved_prefixes: prefixesOf(row),
    min_age_days: row.min_age_days,
    keep_days: row.keep_days,
    max_bytes: row.max_bytes,
  }

/** Writes nothing when neither the values nor the secret changed. */
export function auditUpstream(
  tx: Tx,
  action: string,
  before: UpstreamRow | null,
  after: UpstreamRow | null,
): void {
  const row = after ?? before
  if (row === null) return
  const isSame =
    JSON.stringify(auditedValues(before)) === JSON.stringify(auditedValues(after)) &&
    before?.secret === after?.secret
  if (isSame) return
  tx.audit({
    action,
    target: { kind: 'package_upstream', id: row.id, name: row.type },
    workspace_id: row.workspace_id,
    data: {
      before: auditedValues(before),
      after: auditedValues(after),
      secret_changed: before?.secret !== after?.secret,
    },
  })
}
