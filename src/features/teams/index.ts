/**
 * Teams: people of a workspace under one name, with roles on its repositories and a rule for whom
 * they ask for a review.
 */
import type { Feature } from '#core/hearth.ts'
import { createTeam } from './create-team.ts'
import { deleteTeam } from './delete-team.ts'
import { getTeam } from './get-team.ts'
import { leaveWithMembership } from './leave-with-membership.ts'
import { listChildTeams } from './list-child-teams.ts'
import { listTeamMembers } from './list-team-members.ts'
import { listTeamRepos } from './list-team-repos.ts'
import { listTeams } from './list-teams.ts'
import { removeTeamMember } from './remove-team-member.ts'
import { removeTeamRepo } from './remove-team-repo.ts'
import { setReviewAssignment } from './set-review-assignment.ts'
import { setTeamMember } from './set-team-member.ts'
import { setTeamRepo } from './set-team-repo.ts'
import { updateTeam } from './update-team.ts'

export * from './schema.ts'
export { assignmentOf, type Assignment } from './assignment.ts'
export { pickReviewers, type Candidate, type PickInput, type PickRules } from './pick-reviewers.ts'
export { findTeam, findTeamBySlug, listLine, listTeamsById, type TeamRow } from './store.ts'
export {
  findTeamMember,
  findTeamRole,
  listPeople,
  listTeamsOf,
  putTeamMember,
  recordAsked,
  removeTeamMemberRow,
  turnsOf,
} from './store-members.ts'
export { listTeamsOfRepo } from './store-repos.ts'
export {
  createTeam,
  deleteTeam,
  getTeam,
  listChildTeams,
  listTeamMembers,
  listTeamRepos,
  listTeams,
  removeTeamMember,
  removeTeamRepo,
  setReviewAssignment,
  setTeamMember,
  setTeamRepo,
  updateTeam,
}

export const feature: Feature = {
  name: 'teams',
  operations: [
    listTeams,
    createTeam,
    getTeam,
    updateTeam,
    deleteTeam,
    listTeamMembers,
    setTeamMember,
    removeTeamMember,
    listTeamRepos,
    setTeamRepo,
    removeTeamRepo,
    listChildTeams,
    setReviewAssignment,
  ],
  reactions: leaveWithMembership,
}
