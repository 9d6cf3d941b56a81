/**
 * What the operations of a repository's life share: looking again inside the transaction, taking a
 * name, confirming, and the audit log.
 */
import type { RepoGrant } from '#core/access.ts'
import type { AuditEntry } from '#core/audit.ts'
import type { Db } from '#core/db.ts'
import { Type } from '#core/schema.ts'
import type { Tx } from '#core/write.ts'
import { conflict, forbidden, invalid, notFound } from '#lib/errors.ts'
import { findWorkspace } from '#features/workspaces/index.ts'
import { fullNameOf } from './facts.ts'
import { findByName, requireRepo, type RepoRow } from './store.ts'
import { removeRedirect } from './store-redirects.ts'

export const Confirm = Type.String({
  maxLength: 200,
  description: 'The full name of the repository, as <owner>/<name>, to be sure.',
})

/** Gives 422 unless the full name was typed as it is. */
export function requireConfirm(full_name: string, confirm: string): void {
  if (confirm !== full_name)
    throw invalid('confirm', `confirm must be the full name of the repository: ${full_name}`)
}

/**
 * The row as it is now: between the decision and this moment someone else may have archived or
 * deleted it.
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

/** The same for what the fork of a pull request may do too: it follows its parent. */
export function requireLiveFamily(db: Db, id: string): RepoRow {
  const row = requireRepo(db, id)
  requireLive(db, row.parent_id ?? row.id)
  return row
}

/**
 * Makes sure that a name is free for this repository and ends what it led to. Gives 409
 * `already_exists`.
 */
export function takeName(
  tx: Tx,
  repo_id: string,
  workspace: { id: string; slug: string },
  name: string,
): void {
  const other = findByName(tx.db, workspace.id, name)
  if (other && other.id !== repo_id) {
    throw conflict('already_exists', `${workspace.slug}/${other.name} exists already`, {
      full_name: `${workspace.slug}/${other.name}`,
    })
  }
  removeRedirect(tx, workspace.id, name)
}

/** Gives 403 to members where only owners may decide who sees a repository. */
export function requireMayChangeVisibility(db: Db, repo: RepoGrant): void {
  const workspace = findWorkspace(db, repo.workspace)
  if (repo.workspace_role !== 'owner' && !workspace?.members_can_change_repo_visibility) {
    throw forbidden('role', `only an owner of ${repo.workspace} may change who sees a repository`)
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
