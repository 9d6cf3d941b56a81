/**
 * The standing of a caller in a workspace. A workspace's token and an agent are members of their
 * one workspace, never owners. A token that is limited to another workspace has no standing here.
 */
import type { WorkspaceFacts, WorkspaceRole } from '#core/access.ts'
import type { Caller } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import { findUser } from '#features/accounts/index.ts'
import { findStanding, findWorkspace } from './store.ts'
import { formerWorkspace } from './store-redirects.ts'

type Standing = { role: WorkspaceRole; two_factor_missing: boolean }

function standing(db: Db, workspace_id: string, caller: Caller): Standing | null {
  switch (caller.kind) {
    case 'anonymous':
      return null
    case 'workspace':
      return caller.id === workspace_id ? { role: 'member', two_factor_missing: false } : null
    case 'agent': {
      const owner =
        caller.token.workspace === null || caller.token.workspace === workspace_id
          ? findStanding(db, workspace_id, caller.owner_id)
          : null
      return owner && { role: 'member', two_factor_missing: owner.two_factor_missing }
    }
    case 'user':
      return findStanding(db, workspace_id, caller.id)
  }
}

/**
 * The role in a workspace, from membership alone; a token's limits on repositories are applied by
 * the floor.
 */
export const roleIn = (db: Db, workspace_id: string, caller: Caller): WorkspaceRole | null =>
  standing(db, workspace_id, caller)?.role ?? null

export const twoFactorMissing = (db: Db, workspace_id: string, caller: Caller): boolean =>
  standing(db, workspace_id, caller)?.two_factor_missing ?? false

/**
 * A slug that a workspace had before finds it too, while nobody else has it; the answer then names
 * the present one.
 */
export function workspaceFacts(db: Db, slug: string, caller: Caller): WorkspaceFacts | null {
  const row = findWorkspace(db, slug) ?? (findUser(db, slug) ? null : formerWorkspace(db, slug))
  if (!row) return null
  const found = standing(db, row.id, caller)
  const token = caller.kind === 'anonymous' ? null : caller.token
  const outside = token !== null && token.workspace !== null && token.workspace !== row.id
  return {
    id: row.id,
    slug: row.slug,
    role: found === null || outside ? null : found.role,
    two_factor_missing: found?.two_factor_missing ?? false,
  }
}
