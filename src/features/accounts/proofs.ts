/**
 * Links that prove something: that an address is read by the person (24 hours), or that they may
 * set a new password (one hour). Each works once.
 */
import type { Hearth } from '#core/hearth.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { conflict, invalid, notFound } from '#lib/errors.ts'
import { randomToken, sha256 } from '#lib/hash.ts'
import { HOUR, timestamp } from '#lib/time.ts'
import { findProof, insertProof, type ProofKind, type ProofRow } from './store-proofs.ts'
import { findConfirmed, findUserRow, listClaims } from './store.ts'

const LIFE_MS: Record<ProofKind, number> = { confirm: 24 * HOUR, reset: HOUR }
const PATH: Record<ProofKind, string> = { confirm: 'confirm', reset: 'reset' }

/** Makes a link for an address of a person, and gives its whole address. */
export function makeLink(tx: Tx, kind: ProofKind, user: { id: string; email: string }): string {
  const secret = randomToken()
  insertProof(tx.db, {
    secret_hash: sha256(secret),
    kind,
    user_id: user.id,
    email: user.email,
    created_at: tx.now,
    expires_at: timestamp(tx.now_ms + LIFE_MS[kind]),
  })
  return `${tx.hearth.settings.site_url}/${PATH[kind]}?token=${secret}`
}

/** What a link stands for. Gives 422 for one that is unknown, used or too old. */
export function requireProof(
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
 * The link that would be mailed to a person, named by username or address; for the command line.
 * Gives 404, and 409 when there is nothing to confirm.
 */
export async function linkFor(hearth: Hearth, kind: ProofKind, name: string): Promise<string> {
  const login = name.trim().toLowerCase()
  const user = login.includes('@')
    ? (findConfirmed(hearth.db, login) ?? listClaims(hearth.db, login, 1)[0])
    : findUserRow(hearth.db, login)
  if (!user) throw notFound(`the person ${name}`)
  if (kind === 'confirm' && user.verified_at !== null)
    throw conflict('not_open', `${user.email} is confirmed already`)
  return writeAs(hearth, null, (tx) => makeLink(tx, kind, user))
}
