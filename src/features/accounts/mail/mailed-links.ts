/**
 * One-time links that are sent by mail: to confirm an address (24 hours) or to reset a password
 * (one hour).
 */
import type { Hearth } from '#core/hearth.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { conflict, invalid, notFound } from '#lib/errors.ts'
import { randomToken, sha256 } from '#lib/hash.ts'
import { HOUR, timestamp } from '#lib/time.ts'
import { findProof, insertProof, type ProofKind, type ProofRow } from '../store/proofs.ts'
import { findUserRowByEmail, findUserRow, listUnconfirmedClaims } from '../store/users.ts'

export const LINK_LIFETIME_MS: Record<ProofKind, number> = { confirm: 24 * HOUR, reset: HOUR }
const LINK_PATH: Record<ProofKind, string> = { confirm: 'confirm', reset: 'reset' }

/** Creates a link for an address of a user. Returns its URL. */
export function createMailedLink(
  tx: Tx,
  kind: ProofKind,
  user: { id: string; email: string },
): string {
  const secret = randomToken()
  insertProof(tx.db, {
    secret_hash: sha256(secret),
    kind,
    user_id: user.id,
    email: user.email,
    created_at: tx.now,
    expires_at: timestamp(tx.now_ms + LINK_LIFETIME_MS[kind]),
  })
  return `${tx.hearth.settings.site_url}/${LINK_PATH[kind]}?token=${secret}`
}

/** The stored link of a secret. Throws 422 when it is unknown, used or expired. */
export function requireMailedLink(
  db: Hearth['db'],
  kind: ProofKind,
  secret: string,
  now: string,
): ProofRow {
  const proof = findProof(db, kind, sha256(secret), now)
  if (!proof) throw invalid('token', 'this link was used already or is too old; ask for a new one')
  return proof
}

/**
 * Creates the link that would be mailed to a user, by username or address. For the command line.
 * Throws 404, and 409 when the address is confirmed already.
 */
export async function createMailedLinkFor(
  hearth: Hearth,
  kind: ProofKind,
  name: string,
): Promise<string> {
  const login = name.trim().toLowerCase()
  const user = login.includes('@')
    ? (findUserRowByEmail(hearth.db, login) ?? listUnconfirmedClaims(hearth.db, login, 1)[0])
    : findUserRow(hearth.db, login)
  if (!user) throw notFound(`the person ${name}`)
  if (kind === 'confirm' && user.verified_at !== null)
    throw conflict('not_open', `${user.email} is confirmed already`)
  return writeAs(hearth, null, (tx) => createMailedLink(tx, kind, user))
}
