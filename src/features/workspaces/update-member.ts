import { writesWorkspaceAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { Username } from '#features/accounts/index.ts'
import { changeMemberRole, memberRecord, requireMember } from './members.ts'
import { Member, WorkspaceRoleName } from './schema.ts'

export const updateMember = operation({
  name: 'update_member',
  summary:
    'Make someone of a workspace an owner or a member; the last owner stays one. For its owners, people only. Answers with the member.',
  keywords: [
    'make someone owner',
    'promote',
    'demote',
    'change role in the organization',
    'org owner',
  ],
  route: 'PATCH /workspaces/{workspace}/members/{username}',
  toolset: 'access',
  access: writesWorkspaceAsPerson('owner', { scope: 'access:admin' }),
  input: Type.Object({ workspace: WorkspaceSlug, username: Username, role: WorkspaceRoleName }),
  output: Member,
  annotations: { idempotent: true },

  handler: ({ hearth, caller, workspace, write }, { username, role }) =>
    write((tx) => {
      const member = requireMember(tx.db, workspace, username)
      changeMemberRole(tx, workspace.id, member, role)
      // An owner who made themselves a member gets a member's view.
      return memberRecord(
        hearth,
        { ...member, role },
        member.user_id === caller.id ? role : 'owner',
      )
    }),
})
