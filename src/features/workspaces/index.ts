import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import { countRepositories } from './count-repositories.ts'
import { memberAdded, memberRemoved } from './events.ts'
import { mailInvitation } from './invitation-mail.ts'
import * as operations from './operations.ts'

export * from './operations.ts'
export * from './schema.ts'
export { readsWorkspaceAsOwner } from './access.ts'
export { workspaceFacts } from './facts.ts'
export { createFirstAccount } from './first-account.ts'
export {
  answerInvitation,
  answerOperation,
  Invitation,
  invitationChanged,
  invitationRecord,
  Invitations,
  sendInvitation,
  inviteeName,
  withdrawInvitation,
  withdrawRepoInvitations,
} from './invitations.ts'
export { addMember, changeMemberRole, endMembership } from './members.ts'

export {
  findMember,
  findStanding,
  findWorkspace,
  preloadWorkspaces,
  listMemberships,
  listReadableWorkspaceIds,
  workspaceById,
  type WorkspaceRow,
} from './store.ts'
export {
  findInvitation,
  listInvitations,
  listInvitationsTo,
  listPendingInvitations,
} from './store-invitations.ts'

export {
  QUOTA_RESOURCES,
  quotaChecks,
  findQuotaProblem,
  quotaRoom,
  quotaRooms,
  requireQuota,
  usageCounters,
  workspaceCleanups,
  workspaceContents,
  type QuotaResource,
  type UsageCounter,
} from './extension-points.ts'
export {
  listVisibleProjectRepos,
  type Project,
  ProjectSlug,
  requireProject,
} from './projects.ts'
export { formerWorkspace } from './store-redirects.ts'
export {
  oneLine,
  requireWorkspace,
} from './workspaces.ts'
export { memberAdded, memberRemoved }

/**
 * Registration and `whoami` belong here and not to accounts, because they also create or show
 * memberships.
 */
export const feature: Feature = {
  name: 'workspaces',
  operations: Object.values(operations),
  events: [memberAdded, memberRemoved],
  reactions: countRepositories,
  jobs: [mailInvitation as Job],
}
