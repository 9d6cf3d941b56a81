/** Keeps secrets of ours out of texts that others read. */
import { forbidden } from '#lib/errors.ts'
import { checksum62 } from '#lib/hash.ts'
import { requireRepo, settingsOf } from '#features/repos/index.ts'
import type { Db } from '#core/db.ts'

const FORM = /hth[uwa]_[0-9A-Za-z]{46}/g
const CHECKED = 45

const hasSecret = (text: string): boolean => (text.match(FORM) ?? []).some((found) => checksum62(found.slice(0, CHECKED)) === found.slice(CHECKED))

/** Gives 403 `push_protection` when a text holds an access token and the repository has the protection on. */
export function refuseSecrets(db: Db, repo_id: string, field: string, text: string): void {
  if (!hasSecret(text) || !settingsOf(requireRepo(db, repo_id)).push_protection) return
  throw forbidden('push_protection', `${field} holds an access token: take it out, and revoke it if anyone else has seen it`)
}
