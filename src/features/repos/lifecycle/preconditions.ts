/**
 * Checks that the lifecycle operations share: state inside the transaction, free names,
 * confirmation, and audit entries.
 */
import type { RepoGrant } from '#core/access.ts'
import type { AuditEntry } from '#core/audit.ts'
import type { Db } from '#core/db.ts'
import { Type } from '#core/schema.ts'
import type { Tx } from '#core/write.ts'
import { conflict, forbidden, invalid, notFound } from '#lib/errors.ts'
import { findWorkspace } from '#features/workspaces/index.ts'
import { fullNameOf } from '../access/repo-facts.ts'
import { findRepoByName, requireRepo, type RepoRow } from '../store/repos.ts'
import { removeRedirect } from '../store/redirects.ts'

export const Confirm = Type.String({
  maxLength: 200,
  description: 'The full name of the repository, as <owner>/<name>, to be sure.',
})

/** Throws 422 unless `confirm` equals the full name. */
export function requireConfirm(full_name: string, confirm: string): void {
  if (confirm !== full_name)
    throw invalid('confirm', `confirm must be the full name of the repository: ${full_name}`)
}

/**
 * Returns the current row inside the transaction. Another request may have archived or deleted the
 * repository after access was decided. Throws 404 and 403 `archived`.
 */
export function requireLive(
  db: Db,
  id: string,
  options: { whileArchived?: boolean } = {},
): RepoRow {
  const row = requireRepo(db, id)
  if (row.deleted_at !== null) throw notFound('the repository')
  if (row.archived_at !== null && !options.whileArchived)
    throw forbidden('archived', `${fullNameOf(db, row)} is archived and read-only`)
  return row
}

/**
 * Like `requireLive`, for operations that also work on forks of pull requests. The state is the
 * parent's.
 */
export function requireLiveFamily(db: Db, id: string): RepoRow {
  const row = requireRepo(db, id)
  requireLive(db, row.parent_id ?? row.id)
  return row
}

/**
 * Claims a name for a repository and removes the redirect under that name. Throws 409
 * `already_exists`.
 */
export function claimName(
  tx: Tx,
  repo_id: string,
  workspace: { id: string; slug: string },
  name: string,
): void {
  const other = findRepoByName(tx.db, workspace.id, name)
  if (other && other.id !== repo_id) {
    throw conflict('already_exists', `${workspace.slug}/${other.name} exists already`, {
      full_name: `${workspace.slug}/${other.name}`,
    })
  }
  removeRedirect(tx, workspace.id, name)
}

/** Throws 403 to members when the workspace reserves visibility changes for owners. */
export function requireMayChangeVisibility(db: Db, repo: RepoGrant): void {
  const workspace = findWorkspace(db, repo.workspace)
  if (repo.workspace_role !== 'owner' && !workspace?.members_can_change_repo_visibility) {
    throw forbidden('role', `only an owner of ${repo.workspace} may change who sees a repository`)
  }
}

/** Throws 403 to members unless the workspace lets those with admin delete a repository. */
export function requireMayDelete(db: Db, repo: RepoGrant): void {
  const workspace = findWorkspace(db, repo.workspace)
  if (repo.workspace_role !== 'owner' && !workspace?.members_can_delete_repositories) {
    throw forbidden('role', `only an owner of ${repo.workspace} may delete a repository`)
  }
}

export function auditRepo(
  tx: Tx,
  action: string,
  row: RepoRow,
  data: AuditEntry['data'] = {},
): void {
  tx.audit({
    action,
    target: { kind: 'repo', id: row.id, name: fullNameOf(tx.db, row) },
    workspace_id: row.workspace_id,
    repo_id: row.id,
    data,
  })
}
