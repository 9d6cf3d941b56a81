import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, windowOf } from '#core/page.ts'
import { Type } from '#core/schema.ts'
import { inviteRecord } from './invites.ts'
import { Invites } from '../schema.ts'
import { listInviteRows } from '../store/invites.ts'

const { page, per_page } = byPage()

export const listInvites = operation({
  name: 'list_invites',
  summary:
    'List the sign-up invites that you made, newest first, and how many you have left (null is no limit). For people only.',
  keywords: ['invites I sent', 'how many invites left'],
  route: 'GET /user/invites',
  toolset: 'access',
  access: personOnly({ scope: 'user:read' }),
  input: Type.Object({ page, per_page }),
  output: Invites,

  handler: ({ hearth, db, caller }, input) => ({
    invites: listInviteRows(db, caller.id, windowOf(input)).map((row) =>
      inviteRecord(hearth, row, caller),
    ),
    left: null,
  }),
})
