/**
 * Finds secrets of access tokens in text by their format and checksum. It does not check whether a
 * token exists.
 */
import { checksum62 } from '#lib/hash.ts'

/**
 * The format of secrets for other search engines: words of which each contains one, and a pattern
 * that matches in linear time.
 */
export const SECRET_FORM = { words: ['hth'], pattern: 'hth[uwa]_[0-9A-Za-z]{46}' }
const SECRET_PATTERN = new RegExp(SECRET_FORM.pattern, 'g')
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
