/**
 * What was given ends with what it was given in: whoever leaves a workspace leaves its repositories
 * too, and a repository that moves to another workspace takes along only those who belong there.
 */
import { reaction, type EventRow, type Reaction } from '#core/events.ts'
import type { Role } from '#core/caller.ts'
import type { Tx } from '#core/write.ts'
import { actorOf, findUser } from '#features/accounts/index.ts'
import { repoTransferred } from '#features/repos/events.ts'
import { noteDroppedAccess } from '#features/repos/index.ts'
import { memberRemoved } from '#features/workspaces/events.ts'
import { findStanding, inviteeName, withdrawAll } from '#features/workspaces/index.ts'
import { take } from './collaborators.ts'
import { listGrantsIn, listGrantsOfRepo, removeGrant } from './store.ts'

function leaveRepositories(tx: Tx, { workspace_id, data }: EventRow<{ username: string }>): void {
  const person = findUser(tx.db, data.username)
  if (!person) return
  for (const { repo_id, role, full_name } of listGrantsIn(tx.db, workspace_id, person.id))
    take(tx, { id: repo_id, workspace_id, full_name }, person, role)
}

function moveAlone(tx: Tx, { repo_id, workspace_id }: EventRow): void {
  if (repo_id === null) return
  for (const { user_id, role } of listGrantsOfRepo(tx.db, repo_id)) {
    if (findStanding(tx.db, workspace_id, user_id)) continue
    removeGrant(tx, repo_id, user_id)
    noteDroppedAccess(tx, {
      kind: 'collaborator',
      name: actorOf(tx.hearth, user_id).username,
      role,
    })
  }
  for (const row of withdrawAll(tx, repo_id))
    noteDroppedAccess(tx, {
      kind: 'invitation',
      name: inviteeName(tx.hearth, row),
      role: row.role as Role,
    })
}

export const endWithMembership: readonly Reaction[] = [
  reaction('leave_repositories', memberRemoved, leaveRepositories),
  reaction('move_alone', repoTransferred, moveAlone),
]
