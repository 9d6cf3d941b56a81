/** Access rules that several operations on workspaces share. */
import { readsWorkspace, type Access, type Rule, type WorkspaceGrant } from '#core/access.ts'
import type { SignedIn, UserCaller } from '#core/caller.ts'

const ownersOnly = (rule: Rule): Rule => ({ ...rule, workspaceLeast: 'owner' })

/** Reads data that only owners may see. */
export const readsWorkspaceAsOwner = (options: {
  scope: string
}): Access<{ caller: SignedIn; workspace: WorkspaceGrant }> => ownersOnly(readsWorkspace(options))

/** The same, for users only (no agents or workspace tokens). */
export const readsWorkspaceAsOwningPerson = (options: {
  scope: string
}): Access<{ caller: UserCaller; workspace: WorkspaceGrant }> =>
  ownersOnly(readsWorkspace({ ...options, person: true }))
