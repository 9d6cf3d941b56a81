// The forms about invitations. They are separate from invite-members.tsx, which the members page
// imports.
import { inviteMember, revokeWorkspaceInvite } from '#features/workspaces/index.ts'
import { workspacePath } from '../../paths.ts'
import { action, redirectWithFlash, form, type Visit } from '../../site.ts'
import { membersPage } from './members.tsx'

const slugOf = (visit: Visit): string => visit.params.workspace ?? ''

export const inviteMemberForm = form({
  path: '/:workspace/-/members/invite',
  page: membersPage,
  operation: inviteMember,
  input: (fields, visit) => ({
    workspace: slugOf(visit),
    email: fields.text('email').trim(),
    role: fields.text('role') === 'owner' ? ('owner' as const) : ('member' as const),
  }),
  done: (_, visit) =>
    redirectWithFlash(visit, workspacePath(slugOf(visit), 'members'), 'invitation-sent'),
})

export const revokeWorkspaceInviteForm = action({
  path: '/:workspace/-/members/invite/revoke',
  submit: async (visit, fields) => {
    await visit.call(revokeWorkspaceInvite, { workspace: slugOf(visit), id: fields.text('id') })
    return redirectWithFlash(visit, workspacePath(slugOf(visit), 'members'), 'invite-revoked')
  },
})
