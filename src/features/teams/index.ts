/**
 * Teams: people of a workspace under one name, with roles on its repositories and a rule for whom
 * they ask for a review.
 */
import type { Feature } from '#core/hearth.ts'
import { leaveWithMembership } from './leave-with-membership.ts'
import * as operations from './operations.ts'

export * from './operations.ts'
export * from './schema.ts'
export { reviewAssignmentOf } from './review-assignment.ts'
export { canSeeTeam, requireTeam, teamRecord } from './teams.ts'
export { pickReviewers, type Candidate, type PickRules } from './pick-reviewers.ts'
export {
  findTeam,
  findTeamBySlug,
  listTeamsById,
  type TeamRow,
} from './store.ts'
export {
  findTeamRole,
  listTeamPeople,
  putTeamMember,
  recordReviewTurns,
  removeTeamMemberRow,
  listReviewTurns,
} from './store-members.ts'

export const feature: Feature = {
  name: 'teams',
  operations: Object.values(operations),
  reactions: leaveWithMembership,
}
