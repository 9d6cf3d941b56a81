import { operation } from '#core/operation.ts'
import { answerInvitation, answerOperation, invitationRecord } from './invitations.ts'

export const declineWorkspaceInvite = operation({
  name: 'decline_workspace_invite',
  summary:
    'Decline an invitation into a workspace. For the person invited. Answers with the invitation, state declined.',
  keywords: ['reject workspace invitation', 'refuse to join an organization'],
  route: 'DELETE /user/workspace_invitations/{id}',
  ...answerOperation,

  handler: ({ hearth, caller, write }, { id }) =>
    write((tx) =>
      invitationRecord(hearth, answerInvitation(tx, caller, id, 'workspace', 'declined')),
    ),
})
