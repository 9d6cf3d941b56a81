/** Finds the import that an input names, for those whose business it is. */
import type { SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { repoById } from '#features/repos/index.ts'
import { workspaceById, workspaceFacts } from '#features/workspaces/index.ts'
import { notFound } from '#lib/errors.ts'
import { findImport, type ImportRow } from './store.ts'

/**
 * Whether the caller began it or owns the workspace that it went into, within what their token
 * reaches.
 */
export function mayManage({ db }: Pick<Hearth, 'db'>, caller: SignedIn, row: ImportRow): boolean {
  const repo = repoById(db, row.repo_id)
  const workspace = repo && workspaceById(db, repo.workspace_id)
  if (!repo || !workspace) return false
  const { token } = caller
  if (token?.workspace && token.workspace !== workspace.id) return false
  if (token?.repos && !token.repos.includes(repo.id)) return false
  const role = workspaceFacts(db, workspace.slug, caller)?.role ?? null
  // Whoever has left the workspace has nothing to do with it any more.
  return role !== null && (role === 'owner' || caller.id === row.created_by)
}

/** Gives 404 for imports that are others' business too. */
export function requireManaged(
  hearth: Pick<Hearth, 'db'>,
  caller: SignedIn,
  id: string,
): ImportRow {
  const row = findImport(hearth.db, id)
  if (!row || !mayManage(hearth, caller, row)) throw notFound(`the import ${id.slice(0, 60)}`)
  return row
}
