/** Changing a workspace, for the two operations that do. */
import type { UserCaller } from '#core/caller.ts'
import { missingScope } from '#core/scopes.ts'
import type { Tx } from '#core/write.ts'
import { renameActor } from '#features/accounts/index.ts'
import { forbidden } from '#lib/errors.ts'
import type { BasePermission, WorkspaceBasics } from './schema.ts'
import { setWorkspace } from './store.ts'
import { DESCRIPTION_LENGTH, NAME_LENGTH, oneLine, requireWorkspace, workspaceBasics } from './workspaces.ts'

export type WorkspaceChange = { name?: string; description?: string; base_permission?: BasePermission }

/** What members may do is about access, so a narrowed token needs that scope too. Gives 403 `scope`. */
export function requireAccessScope(caller: UserCaller): void {
  const scope = missingScope(caller.token?.scopes ?? null, 'access:admin')
  if (scope !== null) throw forbidden('scope', `this token lacks the scope ${scope}, which the base permission needs`, { scope })
}

/** Text that is too long is cut; an empty name falls back to the slug. */
export function changeWorkspace(tx: Tx, id: string, { name, description, base_permission }: WorkspaceChange): WorkspaceBasics {
  const { slug } = requireWorkspace(tx.db, id)
  if (name !== undefined) renameActor(tx, id, { name: oneLine(name, NAME_LENGTH) || slug })
  setWorkspace(tx.db, id, { description: description === undefined ? undefined : oneLine(description, DESCRIPTION_LENGTH), base_permission, now: tx.now })
  return workspaceBasics(tx.hearth, requireWorkspace(tx.db, id))
}
