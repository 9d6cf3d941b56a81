import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, Type } from '#core/schema.ts'
import { notFound } from '#lib/errors.ts'
import { PasswordInput } from '../inputs.ts'
import { sendSecurityNotice } from '../mail/security-notices.ts'
import { requirePassword } from '../passwords/require-password.ts'
import { removeIdentityRow } from '../store/identities.ts'

/** Requires the password, so an account without one cannot remove its only way to sign in. */
export const removeIdentity = operation({
  name: 'remove_identity',
  summary: 'Unlink a provider from your own account, with your password. The answer is empty.',
  route: null,
  access: personOnly({ writes: true, whileUnconfirmed: true }),
  input: Type.Object({
    provider: Type.String({ maxLength: 40 }),
    subject: Type.String({ maxLength: 1000 }),
    password: PasswordInput,
  }),
  output: Nothing,
  annotations: { destructive: true },

  handler: async ({ hearth, caller, write }, { provider, subject, password }) => {
    const user = await requirePassword(hearth, caller.id, password)
    return write((tx) => {
      if (!removeIdentityRow(tx.db, { provider, subject, user_id: caller.id }))
        throw notFound('the linked sign-in')
      tx.audit({
        action: 'user.identity_unlinked',
        target: { kind: 'user', id: caller.id, name: caller.username },
        data: { provider, subject },
      })
      sendSecurityNotice(tx, user, 'Sign-in through {provider} was turned off', {
        provider,
      })
      return null
    })
  },
})
