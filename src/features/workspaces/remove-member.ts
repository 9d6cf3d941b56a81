import { writesWorkspaceAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, Type, WorkspaceSlug } from '#core/schema.ts'
import { forbidden } from '#lib/errors.ts'
import { Username } from '#features/accounts/index.ts'
import { endMembership, requireMember } from './members.ts'

export const removeMember = operation({
  name: 'remove_member',
  summary:
    'Remove someone from a workspace, or leave it yourself; the last owner stays. For its owners, or about oneself; people only. The answer is empty.',
  keywords: [
    'kick out of the organization',
    'remove someone from org',
    'offboard',
    'leave organization',
  ],
  route: 'DELETE /workspaces/{workspace}/members/{username}',
  toolset: 'access',
  access: writesWorkspaceAsPerson('member', { scope: 'access:admin', whileTwoFactorMissing: true }),
  input: Type.Object({ workspace: WorkspaceSlug, username: Username }),
  output: Nothing,
  status: 204,
  annotations: { destructive: true },

  handler: ({ caller, workspace, write }, { username }) => {
    if (username.toLowerCase() !== caller.username) {
      // A member who lacks the required second factor may still leave.
      if (workspace.two_factor_missing)
        throw forbidden(
          'two_factor_required',
          `the workspace ${workspace.slug} requires two-factor sign-in: turn it on in your settings`,
        )
      workspace.require('owner')
    }
    return write((tx) => {
      endMembership(tx, workspace.id, requireMember(tx.db, workspace, username))
      return null
    })
  },
})
