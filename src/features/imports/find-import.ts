/** Finds imports for callers who can manage them. */
import type { SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { factsOf, repoById } from '#features/repos/index.ts'
import { notFound } from '#lib/errors.ts'
import { findImport, type ImportRow } from './store.ts'

/** Whether the caller started the import or owns its workspace, within the limits of the token. */
export function canManageImport(
  { db }: Pick<Hearth, 'db'>,
  caller: SignedIn,
  row: ImportRow,
): boolean {
  const repo = repoById(db, row.repo_id)
  const role = (repo && factsOf(db, repo, caller))?.workspace_role ?? null
  // Former members of the workspace cannot manage its imports.
  return role !== null && (role === 'owner' || caller.id === row.created_by)
}

/** Throws 404 for missing imports and for those that the caller cannot manage. */
export function requireManagedImport(
  hearth: Pick<Hearth, 'db'>,
  caller: SignedIn,
  id: string,
): ImportRow {
  const row = findImport(hearth.db, id)
  if (!row || !canManageImport(hearth, caller, row)) throw notFound(`the import ${id.slice(0, 60)}`)
  return row
}
