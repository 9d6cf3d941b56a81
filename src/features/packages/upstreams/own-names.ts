/**
 * Names that are never asked for upstream, so that nobody can publish there what a workspace takes
 * for its own (dependency confusion): every name that the workspace has or had, deleted, purged and
 * private ones too, and what its owners reserved.
 */
import type { Db } from '#core/db.ts'
import { formatOf } from '../formats/index.ts'
import { findPackage, hadPackage } from '../store.ts'
import { prefixesOf } from './record.ts'
import type { UpstreamRow } from './store.ts'

export type OwnName = { readonly isPublic: boolean }

/** Null for a name that may be asked for upstream. */
export function findOwnName(db: Db, upstream: UpstreamRow, name: string): OwnName | null {
  const format = formatOf(upstream.type)
  const normal = (text: string): string => format?.normalName(text) ?? text.toLowerCase()
  const row = findPackage(db, upstream.workspace_id, upstream.type, normal(name))
  if (row) return { isPublic: row.private === 0 && row.deleted_at === null }
  const lower = name.toLowerCase()
  const isReserved = prefixesOf(upstream).some(
    (prefix) => normal(name).startsWith(normal(prefix)) || lower.startsWith(prefix.toLowerCase()),
  )
  return isReserved || hadPackage(db, upstream.workspace_id, upstream.type, normal(name))
    ? { isPublic: false }
    : null
}
