/**
 * Mails that notify a user of a change to how they sign in, so that a change by someone else is
 * noticed.
 */
import type { Tx } from '#core/write.ts'
import { enqueueMail } from './mailer.ts'

/**
 * A user with the primary address. An unconfirmed address may belong to a stranger, so nothing is
 * sent to it.
 */
export type NoticeRecipient = {
  readonly username: string
  readonly email: string
  readonly verified_at: string | null
}

/**
 * Sends a notice. `what` is a sentence without its full stop, such as `Two-factor sign-in was
 * turned off`.
 */
export function sendSecurityNotice(tx: Tx, person: NoticeRecipient, sentence: string): void {
  if (person.verified_at === null) return
  const { site_url } = tx.hearth.settings
  const host = new URL(site_url).host
  enqueueMail(tx, {
    to: person.email,
    kind: 'notice',
    subject: `${sentence} on ${host}`,
    text: `${sentence}, for the account ${person.username} on ${host}.

If that was you, there is nothing to do. If it was not, set a new password now and look at your sign-ins:
${site_url}/forgot
${site_url}/settings/security
`,
  })
}
