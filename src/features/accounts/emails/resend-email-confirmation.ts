import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, Type } from '#core/schema.ts'
import { conflict, notFound } from '#lib/errors.ts'
import { EmailInput } from '../inputs.ts'
import { mailConfirmation } from '../mail/link-mails.ts'
import { findEmail } from '../store/users.ts'

export const resendEmailConfirmation = operation({
  name: 'resend_email_confirmation',
  summary:
    'Mail the confirmation link for one of your own addresses again. For people only. The answer is empty.',
  keywords: ['verification mail', 'confirm my address again', 'verify email'],
  route: 'POST /user/emails/{email}/confirmation',
  toolset: 'access',
  access: personOnly({ scope: 'user:write', writes: true, whileUnconfirmed: true }),
  input: Type.Object({ email: EmailInput }),
  output: Nothing,
  status: 204,

  handler: ({ caller, write }, { email }) =>
    write((tx) => {
      const row = findEmail(tx.db, caller.id, email)
      if (!row) throw notFound(`the address ${email}`)
      if (row.verified_at !== null) throw conflict('not_open', `${row.email} is confirmed already`)
      tx.enqueue(mailConfirmation, { user_id: caller.id, email: row.email })
      return null
    }),
})
