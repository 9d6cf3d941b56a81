/** Revokes tokens whose secret was leaked. */
import type { Tx } from '#core/write.ts'
import { enqueueMail } from '../mail/mailer.ts'
import { findActor } from '../store/actors.ts'
import { findUserById } from '../store/users.ts'
import type { TokenRow } from '../store/tokens.ts'
import { endToken, findTokenOfSecret } from './end-tokens.ts'

/**
 * The user to notify: the token's user, the owner of an agent, or the creator of a workspace token.
 */
function findAffectedUser(tx: Tx, token: TokenRow) {
  const id =
    token.kind === 'agent'
      ? findActor(tx.db, token.actor_id)?.on_behalf_of
      : token.kind === 'workspace'
        ? token.created_by
        : token.actor_id
  return id ? findUserById(tx.db, id) : null
}

/**
 * Revokes the token of a secret and mails its user. Returns null when no token has this secret.
 * `place` says where the secret was found.
 */
export function revokeLeakedToken(tx: Tx, secret: string, location: string): TokenRow | null {
  const token = findTokenOfSecret(tx.db, secret)
  if (!token) return null
  const person = findAffectedUser(tx, token)
  endToken(tx, token.id, { reason: `found in ${location}` })
  if (!person) return token
  const { site_url } = tx.hearth.settings
  const host = new URL(site_url).host
  enqueueMail(tx, {
    to: person.email,
    kind: 'leaked_token',
    subject: `A token was revoked on ${host}`,
    text: `The token "${token.name}" (…${token.last_four}) was found in ${location}
on ${host}. Everyone who can read that could have used it, so it was revoked
and no longer works.

Taking it out of the history is not needed for that. If something still uses
the token, make it a new one:
${site_url}/settings/tokens
`,
  })
  return token
}
