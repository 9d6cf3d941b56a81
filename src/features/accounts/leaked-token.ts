/** What happens to a token whose secret has become readable for others. */
import type { Tx } from '#core/write.ts'
import { sendMail } from './mail.ts'
import { findActor } from './store-actors.ts'
import { findUserById } from './store.ts'
import type { TokenRow } from './store-tokens.ts'
import { endToken, tokenOfSecret } from './token-ends.ts'

/**
 * Whom a token's end concerns: the person that it stood for, or for a workspace's the person who
 * made it.
 */
function personOf(tx: Tx, token: TokenRow) {
  const id =
    token.kind === 'agent'
      ? findActor(tx.db, token.actor_id)?.on_behalf_of
      : token.kind === 'workspace'
        ? token.created_by
        : token.actor_id
  return id ? findUserById(tx.db, id) : null
}

/**
 * Revokes the token of a secret and mails its person; gives null when no token has it (any more).
 * `place` is where it was found.
 */
export function revokeLeaked(tx: Tx, secret: string, place: string): TokenRow | null {
  const token = tokenOfSecret(tx.db, secret)
  if (!token) return null
  const person = personOf(tx, token)
  endToken(tx, token.id, { reason: `found in ${place}` })
  if (!person) return token
  const { site_url } = tx.hearth.settings
  const host = new URL(site_url).host
  sendMail(tx, {
    to: person.email,
    kind: 'leaked_token',
    subject: `A token was revoked on ${host}`,
    text: `The token "${token.name}" (…${token.last_four}) was found in ${place}
on ${host}. Everyone who can read that could have used it, so it was revoked
and no longer works.

Taking it out of the history is not needed for that. If something still uses
the token, make it a new one:
${site_url}/settings/tokens
`,
  })
  return token
}
