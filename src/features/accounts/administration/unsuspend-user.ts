import { siteAdmin } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { conflict } from '#lib/errors.ts'
import { Username, SiteUser } from '../schema.ts'
import { requireSiteUser, siteUser } from './site-users.ts'
import { setSuspended } from '../store/user-settings.ts'

export const unsuspendUser = operation({
  name: 'unsuspend_user',
  summary:
    'Let a suspended account in again; its tokens work again. For site administrators, people only. Answers with the account.',
  keywords: ['unban', 'unblock an account', 'enable a user again', 'reinstate'],
  route: 'POST /admin/users/{username}/unsuspend',
  toolset: 'admin',
  access: siteAdmin({ writes: true }),
  input: Type.Object({ username: Username }),
  output: SiteUser,

  handler: ({ hearth, write }, { username }) =>
    write((tx) => {
      const row = requireSiteUser(tx.db, username)
      if (row.suspended_at === null) throw conflict('not_open', `${row.username} is not suspended`)
      setSuspended(tx, row.id, false, null)
      tx.audit({
        action: 'user.unsuspended',
        target: { kind: 'user', id: row.id, name: row.username },
        data: { before: { reason: row.suspended_reason } },
      })
      return siteUser(hearth, requireSiteUser(tx.db, row.username))
    }),
})
