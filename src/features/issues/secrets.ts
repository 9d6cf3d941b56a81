/** Keeps secrets of ours out of texts that others read. */
import { forbidden } from '#lib/errors.ts'
import { findSecrets } from '#features/accounts/index.ts'
import { requireRepo, settingsOf } from '#features/repos/index.ts'
import type { Db } from '#core/db.ts'

/**
 * Gives 403 `push_protection` when a text holds an access token and the repository has the
 * protection on.
 */
export function refuseSecrets(db: Db, repo_id: string, field: string, text: string): void {
  if (findSecrets(text).length === 0 || !settingsOf(requireRepo(db, repo_id)).push_protection)
    return
  throw forbidden(
    'push_protection',
    `${field} holds an access token: take it out, and revoke it if anyone else has seen it`,
  )
}
