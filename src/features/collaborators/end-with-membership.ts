/**
 * Direct roles end with membership. A user who leaves a workspace loses direct roles on its
 * repositories. A repository that moves to another workspace keeps only collaborators who belong
 * there.
 */
import { reaction, type EventRow, type Reaction } from '#core/events.ts'
import type { Role } from '#core/caller.ts'
import type { Tx } from '#core/write.ts'
import { actorOf, findUser } from '#features/accounts/index.ts'
import { repoTransferred } from '#features/repos/events.ts'
import { recordDroppedAccess } from '#features/repos/index.ts'
import { memberRemoved } from '#features/workspaces/events.ts'
import { findStanding, inviteeName, withdrawRepoInvitations } from '#features/workspaces/index.ts'
import { revokeGrant } from './collaborators.ts'
import { listGrantsIn, listGrantsOfRepo, removeGrant } from './store.ts'

function removeDirectRoles(tx: Tx, { workspace_id, data }: EventRow<{ username: string }>): void {
  const person = findUser(tx.db, data.username)
  if (!person) return
  for (const { repo_id, role, full_name } of listGrantsIn(tx.db, workspace_id, person.id))
    revokeGrant(tx, { id: repo_id, workspace_id, full_name }, person, role)
}

function removeOutsiders(tx: Tx, { repo_id, workspace_id }: EventRow): void {
  if (repo_id === null) return
  for (const { user_id, role } of listGrantsOfRepo(tx.db, repo_id)) {
    if (findStanding(tx.db, workspace_id, user_id)) continue
    removeGrant(tx, repo_id, user_id)
    recordDroppedAccess(tx, {
      kind: 'collaborator',
      name: actorOf(tx.hearth, user_id).username,
      role,
    })
  }
  for (const row of withdrawRepoInvitations(tx, repo_id))
    recordDroppedAccess(tx, {
      kind: 'invitation',
      name: inviteeName(tx.hearth, row),
      role: row.role as Role,
    })
}

export const endWithMembership: readonly Reaction[] = [
  reaction('leave_repositories', memberRemoved, removeDirectRoles),
  reaction('move_alone', repoTransferred, removeOutsiders),
]
