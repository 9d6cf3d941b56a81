import { reaches, type Role } from '#core/caller.ts'
import { operation } from '#core/operation.ts'
import { requireUser } from '#features/accounts/index.ts'
import { findRoleParts, fullName, highestRole } from '#features/repos/index.ts'
import { answerOperation, answerInvitation, invitationRecord } from '#features/workspaces/index.ts'
import { grantRole } from './collaborators.ts'

export const acceptRepoInvitation = operation({
  name: 'accept_repo_invitation',
  summary:
    'Accept an invitation to a repository; you have the role at once. For the person invited. Answers with the invitation, state accepted.',
  keywords: ['accept collaboration', 'join a repository'],
  route: 'PATCH /user/repository_invitations/{id}',
  ...answerOperation,

  handler: ({ hearth, caller, write }, { id }) =>
    write((tx) => {
      const row = answerInvitation(tx, caller, id, 'repository', 'accepted')
      const repo_id = row.repo_id ?? ''
      const role = row.role as Role
      const repo = {
        id: repo_id,
        workspace_id: row.workspace_id,
        workspace: row.workspace,
        workspace_role: null,
        full_name: fullName(tx.db, repo_id),
      }
      // A user who got a higher role meanwhile keeps it.
      if (!reaches(highestRole(findRoleParts(tx.db, repo_id, caller.id)), role))
        grantRole(tx, repo, requireUser(tx.db, caller.username), role, row.invited_by)
      return invitationRecord(hearth, row)
    }),
})
