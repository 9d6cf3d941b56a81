import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { conflict, Refusal } from '#lib/errors.ts'
import { emailRecord, requireEmail } from './email-record.ts'
import { EmailInput, PasswordInput, readEmail } from '../inputs.ts'
import { mailConfirmation } from '../mail/link-mails.ts'
import { sendSecurityNotice } from '../mail/security-notices.ts'
import { requirePassword } from '../passwords/require-password.ts'
import { Email } from '../schema.ts'
import { insertEmail } from '../store/user-settings.ts'
import { findEmail, listEmailRows } from '../store/users.ts'

const MAX_EMAILS = 10

/**
 * The operation also accepts an address that another account has confirmed, so it does not reveal
 * who has an account. That address can never be confirmed here. Its owner is notified by mail.
 */
export const addEmail = operation({
  name: 'add_email',
  summary:
    'Add an address to your own account, with your password; a link to confirm it is mailed. For people only. Answers with the address, not confirmed yet.',
  keywords: ['new mail address', 'second email'],
  route: 'POST /user/emails',
  toolset: 'access',
  access: personOnly({ scope: 'user:write', writes: true, whileUnconfirmed: true }),
  input: Type.Object({ email: EmailInput, password: PasswordInput }),
  output: Email,
  status: 201,

  handler: async ({ hearth, caller, write }, input) => {
    const email = readEmail(input.email)
    await requirePassword(hearth, caller.id, input.password)
    return write((tx) => {
      if (findEmail(tx.db, caller.id, email))
        throw new Refusal('conflict', `${email} is one of your addresses already`, {
          reason: 'already_exists',
          field: 'email',
        })
      const rows = listEmailRows(tx.db, caller.id)
      if (rows.length >= MAX_EMAILS)
        throw conflict('limit_reached', `an account has at most ${MAX_EMAILS} addresses`, {
          limit: MAX_EMAILS,
        })
      insertEmail(tx.db, { user_id: caller.id, email, now: tx.now })
      tx.enqueue(mailConfirmation, { user_id: caller.id, email })
      tx.audit({
        action: 'user.email_added',
        target: { kind: 'user', id: caller.id, name: caller.username },
        data: { after: { email } },
      })
      const primary = rows.find((row) => row.is_primary === 1)
      if (primary)
        sendSecurityNotice(tx, { ...primary, username: caller.username }, 'An address was added')
      return emailRecord(requireEmail(tx.db, caller.id, email))
    })
  },
})
