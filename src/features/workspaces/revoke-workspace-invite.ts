import { writesWorkspaceAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Id, Type, WorkspaceSlug } from '#core/schema.ts'
import { Invitation, invitationRecord, inviteeName, withdrawInvitation } from './invitations.ts'

export const revokeWorkspaceInvite = operation({
  name: 'revoke_workspace_invite',
  summary:
    'Take back an invitation into a workspace that waits for an answer. For its owners, people only. Answers with the invitation, state withdrawn.',
  keywords: ['cancel invitation of a member', 'withdraw organization invite'],
  route: 'DELETE /workspaces/{workspace}/invitations/{id}',
  toolset: 'access',
  access: writesWorkspaceAsPerson('owner', { scope: 'access:admin' }),
  input: Type.Object({ workspace: WorkspaceSlug, id: Id('inv') }),
  output: Invitation,
  annotations: { destructive: true },

  handler: ({ hearth, workspace, write }, { id }) =>
    write((tx) => {
      const row = withdrawInvitation(tx, id, { workspace_id: workspace.id })
      tx.audit({
        action: 'workspace.invitation_withdrawn',
        target: { kind: 'invitation', id, name: inviteeName(hearth, row) },
        workspace_id: workspace.id,
        data: { before: { role: row.role } },
      })
      return invitationRecord(hearth, row)
    }),
})
