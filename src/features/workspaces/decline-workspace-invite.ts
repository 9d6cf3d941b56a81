import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Id, Type } from '#core/schema.ts'
import { answer, Invitation, invitationRecord } from './invitations.ts'

export const declineWorkspaceInvite = operation({
  name: 'decline_workspace_invite',
  summary: 'Decline an invitation into a workspace. For the person invited. Answers with the invitation, state declined.',
  route: 'DELETE /user/workspace_invitations/{id}',
  toolset: 'access',
  access: personOnly({ scope: 'user:write', writes: true }),
  input: Type.Object({ id: Id('inv') }),
  output: Invitation,

  handler: ({ hearth, caller, write }, { id }) =>
    write((tx) => {
      const row = answer(tx, caller, id, 'workspace', 'declined')
      tx.audit({
        action: 'workspace.invitation_declined', target: { kind: 'invitation', id, name: caller.username }, workspace_id: row.workspace_id, data: { before: { role: row.role } },
      })
      return invitationRecord(hearth, row)
    }),
})
