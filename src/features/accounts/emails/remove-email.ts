import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, Type } from '#core/schema.ts'
import { conflict } from '#lib/errors.ts'
import { requireEmail } from './email-record.ts'
import { EmailInput, PasswordInput } from '../inputs.ts'
import { sendSecurityNotice } from '../mail/security-notices.ts'
import { requirePassword } from '../passwords/require-password.ts'
import { removeProofs } from '../store/proofs.ts'
import { removeEmailRow } from '../store/user-settings.ts'
import { listEmailRows } from '../store/users.ts'

export const removeEmail = operation({
  name: 'remove_email',
  summary:
    'Remove an address from your own account, with your password; never the primary one or the last confirmed one. For people only. The answer is empty.',
  keywords: ['delete mail address', 'drop email'],
  route: 'DELETE /user/emails/{email}',
  toolset: 'access',
  access: personOnly({ scope: 'user:write', writes: true, whileUnconfirmed: true }),
  input: Type.Object({ email: EmailInput, password: PasswordInput }),
  output: Nothing,
  status: 204,
  annotations: { destructive: true },

  handler: async ({ hearth, caller, write }, { email, password }) => {
    await requirePassword(hearth, caller.id, password)
    return write((tx) => {
      const row = requireEmail(tx.db, caller.id, email)
      const others = listEmailRows(tx.db, caller.id).filter((other) => other.email !== row.email)
      if (row.is_primary === 1)
        throw conflict(
          'not_available',
          'this is the primary address; make another one primary first',
        )
      if (row.verified_at !== null && !others.some((other) => other.verified_at !== null)) {
        throw conflict(
          'not_available',
          'this is the last confirmed address; confirm another one first',
        )
      }
      removeEmailRow(tx.db, caller.id, row.email)
      for (const kind of ['confirm', 'reset'] as const)
        removeProofs(tx.db, kind, caller.id, row.email)
      tx.audit({
        action: 'user.email_removed',
        target: { kind: 'user', id: caller.id, name: caller.username },
        data: { before: { email: row.email } },
      })
      sendSecurityNotice(tx, { ...row, username: caller.username }, 'Your address was removed')
      return null
    })
  },
})
