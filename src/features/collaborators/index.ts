/** Collaborators: roles that are given to people on one repository, and the invitations to it. */
import type { Feature } from '#core/hearth.ts'
import { acceptRepoInvitation } from './accept-repo-invitation.ts'
import { addCollaborator } from './add-collaborator.ts'
import { declineRepoInvitation } from './decline-repo-invitation.ts'
import { endWithMembership } from './end-with-membership.ts'
import { events } from './events.ts'
import { getCollaboratorPermission } from './get-collaborator-permission.ts'
import { listCollaborators } from './list-collaborators.ts'
import { listMyRepoInvitations } from './list-my-repo-invitations.ts'
import { listOutsideCollaborators } from './list-outside-collaborators.ts'
import { listRepoInvitations } from './list-repo-invitations.ts'
import { removeCollaborator } from './remove-collaborator.ts'
import { revokeRepoInvitation } from './revoke-repo-invitation.ts'
import { updateCollaborator } from './update-collaborator.ts'

export * from './schema.ts'
export { collaboratorAdded, collaboratorRemoved, collaboratorRoleChanged } from './events.ts'
export {
  acceptRepoInvitation,
  addCollaborator,
  declineRepoInvitation,
  getCollaboratorPermission,
  listCollaborators,
  listMyRepoInvitations,
  listOutsideCollaborators,
  listRepoInvitations,
  removeCollaborator,
  revokeRepoInvitation,
  updateCollaborator,
}

export const feature: Feature = {
  name: 'collaborators',
  operations: [
    listCollaborators,
    addCollaborator,
    updateCollaborator,
    removeCollaborator,
    getCollaboratorPermission,
    listRepoInvitations,
    revokeRepoInvitation,
    listMyRepoInvitations,
    acceptRepoInvitation,
    declineRepoInvitation,
    listOutsideCollaborators,
  ],
  events,
  reactions: endWithMembership,
}
