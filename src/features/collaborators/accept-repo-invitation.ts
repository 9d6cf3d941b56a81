import { reaches, type Role } from '#core/caller.ts'
import { operation } from '#core/operation.ts'
import { requireUser } from '#features/accounts/index.ts'
import { findRoleParts, fullName, highestOf } from '#features/repos/index.ts'
import { answering, answerInvitation, invitationRecord } from '#features/workspaces/index.ts'
import { give } from './collaborators.ts'

export const acceptRepoInvitation = operation({
  name: 'accept_repo_invitation',
  summary:
    'Accept an invitation to a repository; you have the role at once. For the person invited. Answers with the invitation, state accepted.',
  route: 'PATCH /user/repository_invitations/{id}',
  ...answering,

  handler: ({ hearth, caller, write }, { id }) =>
    write((tx) => {
      const row = answerInvitation(tx, caller, id, 'repository', 'accepted')
      const repo_id = row.repo_id ?? ''
      const role = row.role as Role
      const place = {
        id: repo_id,
        workspace_id: row.workspace_id,
        workspace: row.workspace,
        workspace_role: null,
        full_name: fullName(tx.db, repo_id),
      }
      // Whoever was given more meanwhile keeps that.
      if (!reaches(highestOf(findRoleParts(tx.db, repo_id, caller.id)), role))
        give(tx, place, requireUser(tx.db, caller.username), role, row.invited_by)
      return invitationRecord(hearth, row)
    }),
})
