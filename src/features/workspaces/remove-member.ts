import { writesWorkspaceAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, Type, WorkspaceSlug } from '#core/schema.ts'
import { Username } from '#features/accounts/index.ts'
import { dropMember, requireMember } from './members.ts'

export const removeMember = operation({
  name: 'remove_member',
  summary: 'Remove someone from a workspace, or leave it yourself; the last owner stays. For its owners, or about oneself; people only. The answer is empty.',
  route: 'DELETE /workspaces/{workspace}/members/{username}',
  toolset: 'access',
  access: writesWorkspaceAsPerson('member', { scope: 'access:admin' }),
  input: Type.Object({ workspace: WorkspaceSlug, username: Username }),
  output: Nothing,
  status: 204,
  annotations: { destructive: true },

  handler: ({ caller, workspace, write }, { username }) => {
    if (username.toLowerCase() !== caller.username) workspace.require('owner')
    return write((tx) => {
      dropMember(tx, workspace.id, requireMember(tx.db, workspace, username))
      return null
    })
  },
})
