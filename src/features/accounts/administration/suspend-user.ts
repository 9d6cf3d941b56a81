import { siteAdmin } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { conflict } from '#lib/errors.ts'
import { Username, SiteUser } from '../schema.ts'
import { requireAnotherAdmin, requireSiteUser, siteUser } from './site-users.ts'
import { removePendingSignInsOf } from '../store/pending-sign-ins.ts'
import { removeProofs } from '../store/proofs.ts'
import { removeSignInsOf } from '../store/sign-ins.ts'
import { setSuspended } from '../store/user-settings.ts'

/**
 * Tokens stay but are refused with `suspended` until the suspension is lifted. Sign-ins are
 * deleted.
 */
export const suspendUser = operation({
  name: 'suspend_user',
  summary:
    'Suspend an account: its sign-ins end at once, its tokens and agents are refused, and it cannot sign in. Never the last administrator. For site administrators, people only. Answers with the account.',
  keywords: ['ban', 'block an account', 'disable a user', 'lock out'],
  route: 'POST /admin/users/{username}/suspend',
  toolset: 'admin',
  access: siteAdmin({ writes: true }),
  input: Type.Object({
    username: Username,
    reason: Type.Optional(
      Type.String({ maxLength: 500, description: 'Why, for other administrators.' }),
    ),
  }),
  output: SiteUser,
  annotations: { destructive: true },

  handler: ({ hearth, caller, write }, { username, reason = '' }) =>
    write((tx) => {
      const row = requireSiteUser(tx.db, username)
      if (row.id === caller.id)
        throw conflict('not_available', 'you cannot suspend your own account')
      if (row.suspended_at !== null)
        throw conflict('already_closed', `${row.username} is suspended already`)
      requireAnotherAdmin(tx, row)
      setSuspended(tx, row.id, true, reason.trim() || null)
      const ended = removeSignInsOf(tx.db, row.id)
      removePendingSignInsOf(tx.db, row.id)
      removeProofs(tx.db, 'reset', row.id, null)
      tx.audit({
        action: 'user.suspended',
        target: { kind: 'user', id: row.id, name: row.username },
        data: { reason: reason.trim() || null, sign_ins_ended: ended },
      })
      return siteUser(hearth, requireSiteUser(tx.db, row.username))
    }),
})
