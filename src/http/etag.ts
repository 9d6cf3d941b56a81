/** Weak validators (RFC 9110 section 8.8): equal texts have equal ones. */

/** SHA-1, because it is fast and responses of one address do not collide by chance. */
export const etagOf = (text: string): string => `W/"${Bun.SHA1.hash(text, 'base64')}"`

const bare = (tag: string): string => tag.trim().replace(/^W\//, '')

/** Whether an `If-None-Match` header names this validator (RFC 9110 section 13.1.2). */
export function matches(header: string | null, etag: string): boolean {
  if (header === null) return false
  if (header.trim() === '*') return true
  const wanted = bare(etag)
  return header.split(',').some((tag) => bare(tag) === wanted)
}
