/**
 * Queries on the trigram index: every run of three characters that a text must contain. The index
 * stores no positions, so its candidates must be searched.
 */

/**
 * What a text must contain to match: one piece, all of several, or any of several. Null requires
 * nothing.
 */
export type RequiredText =
  | { readonly piece: string }
  | { readonly all: readonly RequiredText[] }
  | { readonly any: readonly RequiredText[] }
  | null

/** Joining more trigrams costs more than it excludes. */
const MAX_TRIGRAMS = 24

/** Returns at most `most` trigrams of a piece, spread over its length. */
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

const quoteTrigram = (trigram: string): string => `"${trigram.replaceAll('"', '""')}"`

/**
 * Returns the FTS5 query (https://www.sqlite.org/fts5.html#full_text_query_syntax); null when the
 * index cannot help.
 */
export function trigramQuery(need: RequiredText, most = MAX_TRIGRAMS): string | null {
  if (need === null) return null
  if ('piece' in need) {
    const trigrams = trigramsOf(need.piece, most)
    return trigrams.length === 0
      ? null
      : trigrams.length === 1
        ? quoteTrigram(trigrams[0] ?? '')
        : `(${trigrams.map(quoteTrigram).join(' AND ')})`
  }
  if ('all' in need) {
    const share = Math.max(3, Math.floor(most / Math.max(1, need.all.length)))
    const parts = need.all.flatMap((one) => trigramQuery(one, share) ?? [])
    return parts.length === 0
      ? null
      : parts.length === 1
        ? (parts[0] ?? null)
        : `(${parts.join(' AND ')})`
  }
  // An unknown alternative matches every text.
  const parts = need.any.map((one) =>
    trigramQuery(one, Math.max(3, Math.floor(most / Math.max(1, need.any.length)))),
  )
  return parts.length === 0 || parts.includes(null) ? null : `(${parts.join(' OR ')})`
}
