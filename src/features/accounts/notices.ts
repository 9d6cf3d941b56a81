/**
 * Letters that tell a person of a change to how they sign in, so that one they did not make does
 * not go unnoticed.
 */
import type { Tx } from '#core/write.ts'
import { sendMail } from './mail.ts'

/**
 * A person by their primary address. While that is not confirmed it may be a stranger's, and
 * nothing is sent there.
 */
export type Told = {
  readonly username: string
  readonly email: string
  readonly verified_at: string | null
}

/** `what` is a sentence without its full stop: `Two-factor sign-in was turned off`. */
export function tell(tx: Tx, person: Told, what: string): void {
  if (person.verified_at === null) return
  const { site_url } = tx.hearth.settings
  const host = new URL(site_url).host
  sendMail(tx, {
    to: person.email,
    kind: 'notice',
    subject: `${what} on ${host}`,
    text: `${what}, for the account ${person.username} on ${host}.

If that was you, there is nothing to do. If it was not, set a new password now and look at your sign-ins:
${site_url}/forgot
${site_url}/settings/security
`,
  })
}
