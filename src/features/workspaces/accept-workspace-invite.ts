import { operation } from '#core/operation.ts'
import { answerInvitation, answerOperation, invitationRecord } from './invitations.ts'
import { addMember } from './members.ts'

export const acceptWorkspaceInvite = operation({
  name: 'accept_workspace_invite',
  summary:
    'Accept an invitation into a workspace; you belong to it at once. For the person invited. Answers with the invitation.',
  keywords: ['join a workspace', 'join an organization', 'accept membership'],
  route: 'PATCH /user/workspace_invitations/{id}',
  ...answerOperation,

  handler: ({ hearth, caller, write }, { id }) =>
    write((tx) => {
      const row = answerInvitation(tx, caller, id, 'workspace', 'accepted')
      addMember(tx, {
        workspace_id: row.workspace_id,
        user_id: caller.id,
        role: row.role === 'owner' ? 'owner' : 'member',
        invited_by: row.invited_by,
      })
      return invitationRecord(hearth, row)
    }),
})
