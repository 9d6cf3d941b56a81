/**
 * Questions to the index of trigrams: every run of three characters that must be in a text. The
 * index knows only which texts have a trigram, so what it gives may still lack the word, and is
 * looked at.
 */

/**
 * What must be in a text for it to match: one piece, all of some, or any of some; null says
 * nothing.
 */
export type Need =
  | { readonly piece: string }
  | { readonly all: readonly Need[] }
  | { readonly any: readonly Need[] }
  | null

/** More would cost more to join than they leave out. */
const MOST_TRIGRAMS = 24

/** The trigrams of a piece, at most so many, spread over its length. */
function trigramsOf(piece: string, most: number): string[] {
  const chars = [...piece]
  const found = new Set<string>()
  const places = chars.length - 2
  const step = Math.max(1, places / Math.max(1, most))
  for (let at = 0; at < places; at += step)
    found.add(chars.slice(Math.floor(at), Math.floor(at) + 3).join(''))
  if (places > 0) found.add(chars.slice(-3).join(''))
  return [...found]
}

const quoted = (trigram: string): string => `"${trigram.replaceAll('"', '""')}"`

/**
 * The question in the language of FTS5 (https://www.sqlite.org/fts5.html#full_text_query_syntax);
 * null when the index cannot help.
 */
export function trigramMatch(need: Need, most = MOST_TRIGRAMS): string | null {
  if (need === null) return null
  if ('piece' in need) {
    const trigrams = trigramsOf(need.piece, most)
    return trigrams.length === 0
      ? null
      : trigrams.length === 1
        ? quoted(trigrams[0] ?? '')
        : `(${trigrams.map(quoted).join(' AND ')})`
  }
  if ('all' in need) {
    const share = Math.max(3, Math.floor(most / Math.max(1, need.all.length)))
    const parts = need.all.flatMap((one) => trigramMatch(one, share) ?? [])
    return parts.length === 0
      ? null
      : parts.length === 1
        ? (parts[0] ?? null)
        : `(${parts.join(' AND ')})`
  }
  // One that nothing is known of lets everything through.
  const parts = need.any.map((one) =>
    trigramMatch(one, Math.max(3, Math.floor(most / Math.max(1, need.any.length)))),
  )
  return parts.length === 0 || parts.includes(null) ? null : `(${parts.join(' OR ')})`
}
