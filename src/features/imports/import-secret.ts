/**
 * The secret of an import. It is encrypted with the installation key and readable only while the
 * import runs.
 */
import type { Hearth } from '#core/hearth.ts'
import { sealUntil, unsealFresh } from '#features/accounts/index.ts'
import { DAY } from '#lib/time.ts'

/** Imports end after this time, and so does the validity of the secret. */
export const MAX_IMPORT_MS = 7 * DAY
const PURPOSE = 'import secret'

export const sealSecret = (hearth: Hearth, secret: string, now_ms: number): string =>
  sealUntil(hearth, PURPOSE, now_ms + MAX_IMPORT_MS, secret)

/** Decrypts a secret; null when it has expired or the key changed. */
export const unsealSecret = (hearth: Hearth, sealed: string): string | null =>
  unsealFresh<string>(hearth, PURPOSE, sealed)
