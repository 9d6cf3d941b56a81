/** Refuses texts with secrets in a known format. */
import { forbidden } from '#lib/errors.ts'
import { nameOfSecret } from '#lib/secrets/refused-secret.ts'
import { requireRepo, secretProtectionOf } from '#features/repos/index.ts'
import type { Db } from '#core/db.ts'

/**
 * Throws 403 `push_protection` when a text contains a secret and the repository has push
 * protection on.
 */
export function refuseSecrets(db: Db, repo_id: string, field: string, text: string): void {
  const name = nameOfSecret(text)
  if (name === null || !secretProtectionOf(db, requireRepo(db, repo_id)).push_protection) return
  throw forbidden(
    'push_protection',
    `${field} holds ${name}: take it out, and revoke it if anyone else has seen it`,
  )
}
