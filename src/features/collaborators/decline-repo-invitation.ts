import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Id, Type } from '#core/schema.ts'
import { answerInvitation, Invitation, invitationRecord } from '#features/workspaces/index.ts'

export const declineRepoInvitation = operation({
  name: 'decline_repo_invitation',
  summary: 'Decline an invitation to a repository. For the person invited. Answers with the invitation, state declined.',
  route: 'DELETE /user/repository_invitations/{id}',
  toolset: 'access',
  access: personOnly({ scope: 'user:write', writes: true }),
  input: Type.Object({ id: Id('inv') }),
  output: Invitation,

  handler: ({ hearth, caller, write }, { id }) =>
    write((tx) => {
      const row = answerInvitation(tx, caller, id, 'repository', 'declined')
      tx.audit({
        action: 'repo.invitation_declined', target: { kind: 'invitation', id, name: caller.username }, workspace_id: row.workspace_id, repo_id: row.repo_id,
        data: { before: { role: row.role } },
      })
      return invitationRecord(hearth, row)
    }),
})
