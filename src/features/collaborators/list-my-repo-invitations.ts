import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { Type } from '#core/schema.ts'
import { confirmedAddresses } from '#features/accounts/index.ts'
import { invitationRecord, Invitations, listInvitationsTo } from '#features/workspaces/index.ts'

export const listMyRepoInvitations = operation({
  name: 'list_my_repo_invitations',
  summary:
    'List the invitations to repositories that wait for your answer, newest first: those to your account and to addresses that you confirmed. For people only.',
  keywords: ['invitations for me', 'repositories I was invited to', 'my pending invitations'],
  route: 'GET /user/repository_invitations',
  toolset: 'access',
  access: personOnly({ scope: 'user:read' }),
  input: Type.Object({ ...byPage() }),
  output: Invitations,
  list: 'page',

  handler: ({ hearth, db, caller, now }, paging) => {
    const window = windowOf(paging)
    const person = { id: caller.id, addresses: confirmedAddresses(db, caller.id) }
    const rows = listInvitationsTo(db, person, 'repository', now, {
      limit: window.limit + 1,
      offset: window.offset,
    })
    return pageOf(
      rows.map((row) => invitationRecord(hearth, row)),
      window,
    )
  },
})
