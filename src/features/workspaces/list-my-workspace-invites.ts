import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { Type } from '#core/schema.ts'
import { confirmedAddresses } from '#features/accounts/index.ts'
import { invitationRecord, Invitations } from './invitations.ts'
import { listInvitationsTo } from './store-invitations.ts'

export const listMyWorkspaceInvites = operation({
  name: 'list_my_workspace_invites',
  summary:
    'List the invitations into workspaces that wait for your answer, newest first: those to your account and to addresses that you confirmed. For people only.',
  keywords: ['my invitations to organizations', 'pending workspace invitations for me'],
  route: 'GET /user/workspace_invitations',
  toolset: 'access',
  access: personOnly({ scope: 'user:read' }),
  input: Type.Object({ ...byPage() }),
  output: Invitations,
  list: 'page',

  handler: ({ hearth, db, caller, now }, paging) => {
    const window = windowOf(paging)
    const person = { id: caller.id, addresses: confirmedAddresses(db, caller.id) }
    const rows = listInvitationsTo(db, person, 'workspace', now, {
      limit: window.limit + 1,
      offset: window.offset,
    })
    return pageOf(
      rows.map((row) => invitationRecord(hearth, row)),
      window,
    )
  },
})
