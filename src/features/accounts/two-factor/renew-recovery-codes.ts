import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { conflict } from '#lib/errors.ts'
import { PasswordInput } from '../inputs.ts'
import { sendSecurityNotice } from '../mail/security-notices.ts'
import { requirePassword } from '../passwords/require-password.ts'
import { RecoveryCodes } from '../schema.ts'
import { issueRecoveryCodes } from './second-factors.ts'
import { findUserById } from '../store/users.ts'

export const renewRecoveryCodes = operation({
  name: 'renew_recovery_codes',
  summary:
    'Make new recovery codes, with your password; those before stop working. Answers with them, shown once.',
  route: null,
  access: personOnly({ writes: true, whileUnconfirmed: true }),
  input: Type.Object({ password: PasswordInput }),
  output: RecoveryCodes,

  handler: async ({ hearth, caller, write }, { password }) => {
    await requirePassword(hearth, caller.id, password)
    return write((tx) => {
      const user = findUserById(tx.db, caller.id)
      if (!user || user.two_factor_enabled === 0)
        throw conflict('not_open', 'two-factor sign-in is not turned on')
      tx.audit({
        action: 'user.recovery_codes_renewed',
        target: { kind: 'user', id: user.id, name: user.username },
      })
      sendSecurityNotice(tx, user, 'New recovery codes were made')
      return { recovery_codes: issueRecoveryCodes(tx, user.id) }
    })
  },
})
