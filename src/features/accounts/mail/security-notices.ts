/**
 * Mails that notify a user of a change to how they sign in, so that a change by someone else is
 * noticed.
 */
import type { Tx } from '#core/write.ts'
import { sayTo } from './mail-language.ts'
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
 * Sends a notice. `sentence` has no full stop, as `Two-factor sign-in was turned off`; a `{provider}`
 * in it is named by `values`.
 */
export function sendSecurityNotice(
  tx: Tx,
  person: NoticeRecipient,
  sentence: string,
  values: Readonly<Record<string, string>> = {},
): void {
  if (person.verified_at === null) return
  const { site_url } = tx.hearth.settings
  const site = new URL(site_url).host
  const say = sayTo(tx.hearth, person.email)
  const what = say(sentence, values)
  enqueueMail(tx, {
    to: person.email,
    kind: 'notice',
    subject: say('{what} on {site}', { what, site }),
    text: say(
      '{what}, for the account {username} on {site}.\n\nIf that was you, there is nothing to do. If it was not, set a new password now and look at your sign-ins:\n{forgot}\n{security}\n',
      {
        what,
        username: person.username,
        site,
        forgot: `${site_url}/forgot`,
        security: `${site_url}/settings/security`,
      },
    ),
  })
}
