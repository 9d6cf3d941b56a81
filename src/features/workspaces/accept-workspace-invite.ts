import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Id, Type } from '#core/schema.ts'
import { answer, Invitation, invitationRecord } from './invitations.ts'
import { addMember } from './members.ts'

export const acceptWorkspaceInvite = operation({
  name: 'accept_workspace_invite',
  summary: 'Accept an invitation into a workspace; you belong to it at once. For the person invited. Answers with the invitation.',
  route: 'PATCH /user/workspace_invitations/{id}',
  toolset: 'access',
  access: personOnly({ scope: 'user:write', writes: true }),
  input: Type.Object({ id: Id('inv') }),
  output: Invitation,

  handler: ({ hearth, caller, write }, { id }) =>
    write((tx) => {
      const row = answer(tx, caller, id, 'workspace', 'accepted')
      addMember(tx, { workspace_id: row.workspace_id, user_id: caller.id, role: row.role === 'owner' ? 'owner' : 'member', invited_by: row.invited_by })
      tx.audit({
        action: 'workspace.invitation_accepted', target: { kind: 'invitation', id, name: caller.username }, workspace_id: row.workspace_id, data: { after: { role: row.role } },
      })
      return invitationRecord(hearth, row)
    }),
})
