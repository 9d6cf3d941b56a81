/** Changes a workspace, for `update_workspace` and `set_base_permission`. */
import type { UserCaller } from '#core/caller.ts'
import { missingScope } from '#core/scopes.ts'
import type { Tx } from '#core/write.ts'
import { renameActor } from '#features/accounts/index.ts'
import { forbidden } from '#lib/errors.ts'
import type { BasePermission, WorkspaceBasics } from './schema.ts'
import { setWorkspace, type WorkspaceRow } from './store.ts'
import {
  MAX_DESCRIPTION_LENGTH,
  MAX_NAME_LENGTH,
  oneLine,
  requireWorkspace,
  workspaceBasics,
} from './workspaces.ts'

export type WorkspaceChange = {
  name?: string
  description?: string
  base_permission?: BasePermission
}

/**
 * The base permission controls access, so a limited token needs the scope `access:admin`. Throws
 * 403 `scope`.
 */
export function requireAccessScope(caller: UserCaller): void {
  const scope = missingScope(caller.token?.scopes ?? null, 'access:admin')
  if (scope !== null)
    throw forbidden(
      'scope',
      `this token lacks the scope ${scope}, which the base permission needs`,
      { scope },
    )
}

/** Long text is cut. An empty name is replaced by the slug. */
export function changeWorkspace(
  tx: Tx,
  id: string,
  { name, description, base_permission }: WorkspaceChange,
): WorkspaceBasics {
  const before = requireWorkspace(tx.db, id)
  const { slug } = before
  if (name !== undefined) renameActor(tx, id, { name: oneLine(name, MAX_NAME_LENGTH) || slug })
  setWorkspace(tx.db, id, {
    description:
      description === undefined ? undefined : oneLine(description, MAX_DESCRIPTION_LENGTH),
    base_permission,
    now: tx.now,
  })
  const after = requireWorkspace(tx.db, id)
  const target = { kind: 'workspace', id, name: slug }
  if (after.base_permission !== before.base_permission) {
    const part = (row: WorkspaceRow) => ({ base_permission: row.base_permission })
    tx.audit({
      action: 'workspace.base_permission_changed',
      target,
      workspace_id: id,
      data: { before: part(before), after: part(after) },
    })
  }
  if (after.name !== before.name || after.description !== before.description) {
    const part = (row: WorkspaceRow) => ({ name: row.name, description: row.description })
    tx.audit({
      action: 'workspace.updated',
      target,
      workspace_id: id,
      data: { before: part(before), after: part(after) },
    })
  }
  return workspaceBasics(tx.hearth, after)
}
