/**
 * The link that creates the first account. While there is no account, each start prints a new one
 * that is valid for an hour. Only its hash is stored. So a fresh forge on an open network belongs
 * to the operator who reads its output.
 */
import type { Hearth } from '#core/hearth.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { Refusal } from '#lib/errors.ts'
import { randomToken, sha256 } from '#lib/hash.ts'
import { HOUR, timestamp, type Timestamp } from '#lib/time.ts'
import { isSetupSecret, replaceSetupLink } from '../store/proofs.ts'
import { isWithoutAccounts } from '../store/users.ts'

/**
 * Creates a link and returns its URL; null when there is an account. Earlier links become invalid.
 */
export async function issueSetupLink(hearth: Hearth): Promise<string | null> {
  if (!isWithoutAccounts(hearth.db)) return null
  const secret = randomToken()
  await writeAs(hearth, null, (tx) =>
    replaceSetupLink(tx.db, {
      secret_hash: sha256(secret),
      expires_at: timestamp(tx.now_ms + HOUR),
    }),
  )
  return `${hearth.settings.site_url}/setup?code=${secret}`
}

/** Throws 404 unless the secret is valid, has not expired, and there is still no account. */
export function requireSetupSecret(db: Hearth['db'], secret: string, now: Timestamp): void {
  if (!isWithoutAccounts(db) || !isSetupSecret(db, sha256(secret), now)) {
    throw new Refusal(
      'not_found',
      'this set-up link is not valid: start the forge again for a new one',
    )
  }
}

export const removeSetupLink = (tx: Tx): void => replaceSetupLink(tx.db, null)
