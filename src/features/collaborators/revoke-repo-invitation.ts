import { writesRepoAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Id, RepoPath, Type } from '#core/schema.ts'
import {
  Invitation,
  invitationRecord,
  inviteeName,
  withdrawInvitation,
} from '#features/workspaces/index.ts'

export const revokeRepoInvitation = operation({
  name: 'revoke_repo_invitation',
  summary:
    'Take back an invitation to a repository that waits for an answer. For people with admin. Answers with the invitation, state withdrawn.',
  keywords: ['cancel an invitation to a repository', 'withdraw repository invitation'],
  route: 'DELETE /repos/{owner}/{name}/invitations/{id}',
  toolset: 'access',
  access: writesRepoAsPerson('admin', { scope: 'access:admin' }),
  input: Type.Object({ repo: RepoPath, id: Id('inv') }),
  output: Invitation,
  annotations: { destructive: true },

  handler: ({ hearth, repo, write }, { id }) =>
    write((tx) => {
      const row = withdrawInvitation(tx, id, { repo_id: repo.id })
      tx.audit({
        action: 'repo.invitation_withdrawn',
        target: { kind: 'invitation', id, name: inviteeName(hearth, row) },
        workspace_id: repo.workspace_id,
        repo_id: repo.id,
        data: { repository: repo.full_name, before: { role: row.role } },
      })
      return invitationRecord(hearth, row)
    }),
})
