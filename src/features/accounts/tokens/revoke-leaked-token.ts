/** Revokes tokens whose secret was leaked. */
import type { Tx } from '#core/write.ts'
import { sayTo } from '../mail/mail-language.ts'
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
  const site = new URL(site_url).host
  const say = sayTo(tx.hearth, person.email)
  enqueueMail(tx, {
    to: person.email,
    kind: 'leaked_token',
    subject: say('A token was revoked on {site}', { site }),
    text: say(
      'The token "{name}" (…{last_four}) was found in {location}\non {site}. Everyone who can read that could have used it, so it was revoked\nand no longer works.\n\nTaking it out of the history is not needed for that. If something still uses\nthe token, make it a new one:\n{url}\n',
      {
        name: token.name,
        last_four: token.last_four,
        location,
        site,
        url: `${site_url}/settings/tokens`,
      },
    ),
  })
  return token
}
