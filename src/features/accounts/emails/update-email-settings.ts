import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nullable, Type } from '#core/schema.ts'
import { invalid, Refusal } from '#lib/errors.ts'
import { emailSettings, requireConfirmedEmail } from './email-record.ts'
import { EmailInput, PasswordInput } from '../inputs.ts'
import { sendSecurityNotice } from '../mail/security-notices.ts'
import { requirePassword, requireUserRow } from '../passwords/require-password.ts'
import { EmailSettings } from '../schema.ts'
import { setBackupEmail, setEmailPrivacy, setPrimaryEmail } from '../store/user-settings.ts'

export const updateEmailSettings = operation({
  name: 'update_email_settings',
  summary:
    'Choose your primary and backup address (with your password; both must be confirmed), whether commits made here hide your address, and whether pushes that show it are refused. For people only.',
  keywords: ['primary email', 'hide my email', 'private commit address', 'backup email'],
  route: 'PATCH /user/email-settings',
  toolset: 'access',
  access: personOnly({ scope: 'user:write', writes: true, whileUnconfirmed: true }),
  input: Type.Object({
    primary: Type.Optional(EmailInput),
    backup: Type.Optional(
      Nullable(Type.String({ maxLength: 1000, description: 'Null for none.' })),
    ),
    password: Type.Optional(PasswordInput),
    private_email: Type.Optional(Type.Boolean()),
    block_private_pushes: Type.Optional(Type.Boolean()),
  }),
  output: EmailSettings,

  handler: async (
    { hearth, caller, write },
    { primary, password, private_email, block_private_pushes, ...input },
  ) => {
    const backup = input.backup === '' ? null : input.backup
    if (
      primary === undefined &&
      backup === undefined &&
      private_email === undefined &&
      block_private_pushes === undefined
    ) {
      throw new Refusal(
        'invalid',
        'give at least one of primary, backup, private_email and block_private_pushes',
      )
    }
    if (primary !== undefined || backup !== undefined) {
      if (password === undefined)
        throw invalid('password', 'changing the primary or backup address needs your password')
      await requirePassword(hearth, caller.id, password)
    }
    return write((tx) => {
      const user = requireUserRow(tx.db, caller.id)
      const before = emailSettings(hearth, user)
      if (primary !== undefined) {
        const { email } = asInputError('primary', () =>
          requireConfirmedEmail(tx.db, caller.id, primary),
        )
        setPrimaryEmail(tx.db, caller.id, email)
        if (email !== user.email) sendSecurityNotice(tx, user, 'Your primary address was changed')
      }
      if (backup !== undefined) {
        const email =
          backup === null
            ? null
            : asInputError('backup', () => requireConfirmedEmail(tx.db, caller.id, backup)).email
        if (email !== null && email === requireUserRow(tx.db, caller.id).email)
          throw invalid('backup', 'the backup address must be another one than the primary')
        setBackupEmail(tx.db, caller.id, email)
      }
      setEmailPrivacy(tx, caller.id, { private_email, block_private_pushes })
      const after = emailSettings(hearth, requireUserRow(tx.db, caller.id))
      tx.audit({
        action: 'user.email_settings_changed',
        target: { kind: 'user', id: caller.id, name: caller.username },
        data: { before, after },
      })
      return after
    })
  },
})

/** Turns a 404 into a 422: an unknown address here is invalid input, not a missing resource. */
function asInputError<T>(field: string, find: () => T): T {
  try {
    return find()
  } catch (error) {
    if (error instanceof Refusal && error.code === 'not_found')
      throw invalid(field, `${field} must be a confirmed address of your account`)
    throw error
  }
}
