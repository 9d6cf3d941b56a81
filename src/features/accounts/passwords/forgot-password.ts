import { publicWrite } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, Type } from '#core/schema.ts'
import { EmailInput, readEmail } from '../inputs.ts'
import { mailReset } from '../mail/link-mails.ts'

/**
 * The request does the same work for every address, so its duration reveals nothing. The job finds
 * out whether an account exists.
 */
export const forgotPassword = operation({
  name: 'forgot_password',
  summary:
    'Mail a link for a new password to an address, if an account has it. The answer is empty and always the same.',
  route: null,
  access: publicWrite(),
  input: Type.Object({ email: EmailInput }),
  output: Nothing,

  handler: ({ write }, input) => {
    const email = readEmail(input.email)
    return write((tx) => {
      tx.enqueue(mailReset, { email })
      return null
    })
  },
})
