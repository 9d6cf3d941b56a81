/**
 * Removes users from teams when they leave the workspace, and repositories when they move to
 * another.
 */
import { reaction, type EventRow, type Reaction } from '#core/events.ts'
import type { Tx } from '#core/write.ts'
import { findUser } from '#features/accounts/index.ts'
import { repoTransferred } from '#features/repos/events.ts'
import { recordDroppedAccess } from '#features/repos/index.ts'
import { memberRemoved } from '#features/workspaces/events.ts'
import { listTeamsOf, removeTeamMemberRow } from './store-members.ts'
import { listTeamsOfRepo, removeTeamRepoRow } from './store-repos.ts'

function leaveTeams(tx: Tx, { workspace_id, data }: EventRow<{ username: string }>): void {
  const person = findUser(tx.db, data.username)
  if (!person) return
  for (const { team_id, slug } of listTeamsOf(tx.db, workspace_id, person.id)) {
    removeTeamMemberRow(tx, team_id, person.id)
    tx.audit({
      action: 'team.member_removed',
      target: { kind: 'user', id: person.id, name: person.username },
      workspace_id,
      data: { team: slug, because: 'workspace.member_removed' },
    })
  }
}

/** The audit entry of the transfer lists the roles that ended. */
function removeTeamRoles(tx: Tx, { repo_id }: EventRow): void {
  if (repo_id === null) return
  for (const { team_id, slug, role } of listTeamsOfRepo(tx.db, repo_id)) {
    removeTeamRepoRow(tx, team_id, repo_id)
    recordDroppedAccess(tx, { kind: 'team', name: slug, role })
  }
}

export const leaveWithMembership: readonly Reaction[] = [
  reaction('leave_teams', memberRemoved, leaveTeams),
  reaction('leave_teams_behind', repoTransferred, removeTeamRoles),
]
