import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { Emails } from './schema.ts'
import { listEmailRows } from './store.ts'

export const listEmails = operation({
  name: 'list_emails',
  summary: 'List the addresses of your own account, the primary one first, with which of them are confirmed. For people only.',
  route: 'GET /user/emails',
  toolset: 'access',
  access: personOnly({ scope: 'user:read' }),
  input: Type.Object({}),
  output: Emails,
  list: 'page',

  handler: ({ db, caller }) => ({
    items: listEmailRows(db, caller.id).map((row) => ({
      email: row.email,
      primary: row.is_primary === 1,
      backup: row.is_backup === 1,
      verified: row.verified_at !== null,
      created_at: row.created_at,
      verified_at: row.verified_at,
    })),
    next: null,
  }),
})
