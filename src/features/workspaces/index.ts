import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import { acceptWorkspaceInvite } from './accept-workspace-invite.ts'
import { countRepositories } from './count-repositories.ts'
import { createProject } from './create-project.ts'
import { createWorkspace } from './create-workspace.ts'
import { createWorkspaceToken } from './create-workspace-token.ts'
import { declineWorkspaceInvite } from './decline-workspace-invite.ts'
import { deleteProject } from './delete-project.ts'
import { deleteWorkspace } from './delete-workspace.ts'
import { memberAdded, memberRemoved } from './events.ts'
import { getWorkspace } from './get-workspace.ts'
import { mailInvitation } from './invitation-mail.ts'
import { inviteMember } from './invite-member.ts'
import { listMembers } from './list-members.ts'
import { listMyWorkspaceInvites } from './list-my-workspace-invites.ts'
import { listProjects } from './list-projects.ts'
import { listWorkspaceInvites } from './list-workspace-invites.ts'
import { listWorkspaces } from './list-workspaces.ts'
import { listWorkspaceTokens } from './list-workspace-tokens.ts'
import { register } from './register.ts'
import { removeMember } from './remove-member.ts'
import { renameWorkspace } from './rename-workspace.ts'
import { revokeWorkspaceInvite } from './revoke-workspace-invite.ts'
import { revokeWorkspaceToken } from './revoke-workspace-token.ts'
import { setBasePermission } from './set-base-permission.ts'
import { setMemberPrivileges } from './set-member-privileges.ts'
import { setupForge } from './setup-forge.ts'
import { updateMember } from './update-member.ts'
import { updateProfile } from './update-profile.ts'
import { updateProject } from './update-project.ts'
import { updateWorkspace } from './update-workspace.ts'
import { whoami } from './whoami.ts'

export * from './schema.ts'
export { readsWorkspaceAsOwner, readsWorkspaceAsOwningPerson } from './access.ts'
export { roleIn, twoFactorMissing, workspaceFacts } from './facts.ts'
export { createFirstAccount } from './first-account.ts'
export {
  answer as answerInvitation,
  answering,
  Invitation,
  invitationChanged,
  invitationRecord,
  Invitations,
  invite,
  inviteeName,
  withdraw as withdrawInvitation,
  withdrawAll,
} from './invitations.ts'
export { addMember, changeMemberRole, dropMember } from './members.ts'
export { Project, projectRecord, requireProject } from './projects.ts'
export {
  findMember,
  findStanding,
  findWorkspace,
  keepWorkspaces,
  listMemberships,
  listReadable,
  workspaceById,
  type Membership,
  type WorkspaceRow,
} from './store.ts'
export {
  findInvitation,
  listInvitations,
  listInvitationsTo,
  listPending as listPendingInvitations,
} from './store-invitations.ts'
export { findProject, listProjectRepos } from './store-projects.ts'
export {
  GROWING,
  growth,
  requireRoomToGrow,
  usageParts,
  type Growing,
  type UsagePart,
} from './points.ts'
export { formerWorkspace } from './store-redirects.ts'
export { DESCRIPTION_LENGTH, NAME_LENGTH, oneLine, requireWorkspace } from './workspaces.ts'
export {
  acceptWorkspaceInvite,
  createProject,
  createWorkspace,
  declineWorkspaceInvite,
  deleteProject,
  deleteWorkspace,
  getWorkspace,
  inviteMember,
  listMembers,
  listMyWorkspaceInvites,
  listProjects,
  listWorkspaceInvites,
  listWorkspaces,
  memberAdded,
  memberRemoved,
  register,
  removeMember,
  renameWorkspace,
  revokeWorkspaceInvite,
  setBasePermission,
  setMemberPrivileges,
  setupForge,
  updateMember,
  updateProfile,
  updateProject,
  updateWorkspace,
  whoami,
  createWorkspaceToken,
  listWorkspaceTokens,
  revokeWorkspaceToken,
}

/**
 * Signing up is here and not with accounts, because it also makes workspaces and members; so is
 * whoami, which shows them.
 */
export const feature: Feature = {
  name: 'workspaces',
  operations: [
    whoami,
    updateProfile,
    listWorkspaces,
    createWorkspace,
    getWorkspace,
    updateWorkspace,
    setBasePermission,
    setMemberPrivileges,
    renameWorkspace,
    deleteWorkspace,
    listMembers,
    updateMember,
    removeMember,
    listWorkspaceInvites,
    inviteMember,
    revokeWorkspaceInvite,
    listMyWorkspaceInvites,
    acceptWorkspaceInvite,
    declineWorkspaceInvite,
    listWorkspaceTokens,
    createWorkspaceToken,
    revokeWorkspaceToken,
    listProjects,
    createProject,
    updateProject,
    deleteProject,
    setupForge,
    register,
  ],
  events: [memberAdded, memberRemoved],
  reactions: countRepositories,
  jobs: [mailInvitation as Job],
}
