import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { emailRecord } from './email-record.ts'
import { Emails } from '../schema.ts'
import { listEmailRows } from '../store/users.ts'

export const listEmails = operation({
  name: 'list_emails',
  summary:
    'List the addresses of your own account, the primary one first, with which of them are confirmed. For people only.',
  keywords: ['my mail addresses', 'which email'],
  route: 'GET /user/emails',
  toolset: 'access',
  access: personOnly({ scope: 'user:read' }),
  input: Type.Object({}),
  output: Emails,
  list: 'page',

  handler: ({ db, caller }) => ({
    items: listEmailRows(db, caller.id).map(emailRecord),
    next: null,
  }),
})
