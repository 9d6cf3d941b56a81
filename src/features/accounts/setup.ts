/**
 * The link that makes the first account. It is made at start while there is no account, printed
 * once, good for an hour, and kept as its hash only, so that a fresh forge on an open network
 * belongs to whoever sees its output and to nobody else.
 */
import type { Hearth } from '#core/hearth.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { Refusal } from '#lib/errors.ts'
import { randomToken, sha256 } from '#lib/hash.ts'
import { HOUR, timestamp, type Timestamp } from '#lib/time.ts'
import { isSetupSecret, replaceSetupLink } from './store-proofs.ts'
import { isWithoutAccounts } from './store.ts'

/**
 * The whole address of a new link; null when there is an account already. Links made before stop
 * working.
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

/** Gives 404 unless the secret is right, young enough, and there is still no account. */
export function requireSetupSecret(db: Hearth['db'], secret: string, now: Timestamp): void {
  if (!isWithoutAccounts(db) || !isSetupSecret(db, sha256(secret), now)) {
    throw new Refusal(
      'not_found',
      'this set-up link is not valid: start the forge again for a new one',
    )
  }
}

export const endSetup = (tx: Tx): void => replaceSetupLink(tx.db, null)
