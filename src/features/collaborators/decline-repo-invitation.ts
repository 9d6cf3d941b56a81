import { operation } from '#core/operation.ts'
import { answerOperation, answerInvitation, invitationRecord } from '#features/workspaces/index.ts'

export const declineRepoInvitation = operation({
  name: 'decline_repo_invitation',
  summary:
    'Decline an invitation to a repository. For the person invited. Answers with the invitation, state declined.',
  keywords: ['reject collaboration', 'refuse a repository invitation'],
  route: 'DELETE /user/repository_invitations/{id}',
  ...answerOperation,

  handler: ({ hearth, caller, write }, { id }) =>
    write((tx) =>
      invitationRecord(hearth, answerInvitation(tx, caller, id, 'repository', 'declined')),
    ),
})
