/** Weak validators (RFC 9110 section 8.8): equal text has an equal one. */

/** SHA-1, because it is fast here and no two answers of one address meet by chance. */
export const etagOf = (text: string): string => `W/"${Bun.SHA1.hash(text, 'base64')}"`

const bare = (tag: string): string => tag.trim().replace(/^W\//, '')

/** Whether an `If-None-Match` names this validator, compared weakly (RFC 9110 section 13.1.2). */
export function matches(header: string | null, etag: string): boolean {
  if (header === null) return false
  if (header.trim() === '*') return true
  const wanted = bare(etag)
  return header.split(',').some((tag) => bare(tag) === wanted)
}
