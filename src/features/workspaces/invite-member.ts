import { writesWorkspaceAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { EmailInput, findUserByEmail, readEmail } from '#features/accounts/index.ts'
import { conflict } from '#lib/errors.ts'
import { Invitation, invitationRecord, sendInvitation } from './invitations.ts'
import { WorkspaceRoleName } from './schema.ts'
import { findStanding } from './store.ts'

export const inviteMember = operation({
  name: 'invite_member',
  summary:
    'Invite somebody into a workspace by their address, as a member unless role says owner. The mailed link also lets them make an account. For owners, people only.',
  keywords: [
    'send an invitation to join the workspace',
    'add a teammate',
    'add a coworker',
    'add someone to the organization',
    'invite a colleague',
    'onboard',
  ],
  route: 'POST /workspaces/{workspace}/invitations',
  toolset: 'access',
  listed: 'default',
  access: writesWorkspaceAsPerson('owner', { scope: 'access:admin' }),
  input: Type.Object({
    workspace: WorkspaceSlug,
    email: EmailInput,
    role: Type.Optional(WorkspaceRoleName),
  }),
  output: Invitation,
  status: 201,

  handler: ({ hearth, caller, workspace, write }, { role = 'member', ...input }) => {
    const email = readEmail(input.email)
    return write((tx) => {
      const person = findUserByEmail(tx.db, email)
      if (person && findStanding(tx.db, workspace.id, person.id))
        throw conflict('already_exists', `${email} belongs to ${workspace.slug} already`)
      const row = sendInvitation(tx, {
        to: { invitee_id: null, email },
        role,
        invited_by: caller.id,
        workspace_id: workspace.id,
        repo_id: null,
      })
      tx.audit({
        action: 'workspace.member_invited',
        target: { kind: 'invitation', id: row.id, name: email },
        workspace_id: workspace.id,
        data: { after: { role } },
      })
      return invitationRecord(hearth, row)
    })
  },
})
