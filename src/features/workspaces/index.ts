import type { Feature } from '#core/hearth.ts'
import { countRepositories } from './count-repositories.ts'
import { createWorkspace } from './create-workspace.ts'
import { memberAdded, memberRemoved } from './events.ts'
import { getWorkspace } from './get-workspace.ts'
import { listMembers } from './list-members.ts'
import { listWorkspaces } from './list-workspaces.ts'
import { register } from './register.ts'
import { removeMember } from './remove-member.ts'
import { setBasePermission } from './set-base-permission.ts'
import { setupForge } from './setup-forge.ts'
import { updateMember } from './update-member.ts'
import { updateWorkspace } from './update-workspace.ts'
import { whoami } from './whoami.ts'

export * from './schema.ts'
export { roleIn, twoFactorMissing, workspaceFacts } from './facts.ts'
export { createFirstAccount } from './first-account.ts'
export { addMember } from './members.ts'
export { findWorkspace, listMemberships, workspaceById, type Membership, type WorkspaceRow } from './store.ts'
export {
  createWorkspace, getWorkspace, listMembers, listWorkspaces, memberAdded, memberRemoved, register, removeMember, setBasePermission, setupForge,
  updateMember, updateWorkspace, whoami,
}

/** Signing up is here and not with accounts, because it also makes workspaces and members; so is whoami, which shows them. */
export const feature: Feature = {
  name: 'workspaces',
  operations: [
    whoami, listWorkspaces, createWorkspace, getWorkspace, updateWorkspace, setBasePermission, listMembers, updateMember, removeMember, setupForge, register,
  ],
  events: [memberAdded, memberRemoved],
  reactions: countRepositories,
}
