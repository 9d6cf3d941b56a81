import { operation } from '#core/operation.ts'
import { answer, answering, invitationRecord } from './invitations.ts'

export const declineWorkspaceInvite = operation({
  name: 'decline_workspace_invite',
  summary:
    'Decline an invitation into a workspace. For the person invited. Answers with the invitation, state declined.',
  route: 'DELETE /user/workspace_invitations/{id}',
  ...answering,

  handler: ({ hearth, caller, write }, { id }) =>
    write((tx) => invitationRecord(hearth, answer(tx, caller, id, 'workspace', 'declined'))),
})
