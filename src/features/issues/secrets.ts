/** Refuses texts with access tokens of this service. */
import { forbidden } from '#lib/errors.ts'
import { findTokenSecrets } from '#features/accounts/index.ts'
import { requireRepo, settingsOf } from '#features/repos/index.ts'
import type { Db } from '#core/db.ts'

/**
 * Throws 403 `push_protection` when a text contains an access token and the repository has push
 * protection on.
 */
export function refuseSecrets(db: Db, repo_id: string, field: string, text: string): void {
  if (findTokenSecrets(text).length === 0 || !settingsOf(requireRepo(db, repo_id)).push_protection)
    return
  throw forbidden(
    'push_protection',
    `${field} holds an access token: take it out, and revoke it if anyone else has seen it`,
  )
}
