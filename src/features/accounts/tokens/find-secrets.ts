/**
 * Finds secrets of access tokens in text by their format and checksum. It does not check whether a
 * token exists.
 */
import { checksum62 } from '#lib/hash.ts'

const SECRET_PATTERN = /hth[uwa]_[0-9A-Za-z]{46}/g
const CHECKED_LENGTH = 45

/** Every secret in a text with its index, in order. */
export function findTokenSecrets(text: string): { secret: string; index: number }[] {
  if (!text.includes('hth')) return []
  return [...text.matchAll(SECRET_PATTERN)].flatMap(({ 0: secret, index }) =>
    checksum62(secret.slice(0, CHECKED_LENGTH)) === secret.slice(CHECKED_LENGTH)
      ? [{ secret, index }]
      : [],
  )
}
