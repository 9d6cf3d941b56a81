// Qualifiers in a query, added and taken away by links.

/** Of each of these kinds a query has one at a time. */
const KINDS: readonly RegExp[] = [
  /^is:(open|closed|merged|draft)$/i,
  /^language:/i,
  /^case:/i,
  /^generated:/i,
  /^archived:/i,
  /^no:/i,
]

/**
 * The query with a qualifier in place of others of its kind, or without it where it is there
 * already.
 */
export function withQualifier(query: string, qualifier: string): { text: string; on: boolean } {
  const parts = query.match(/-?[\w]+:"[^"]*"|-?[\w]+:\/(?:\\.|[^/\\])*\/|"[^"]*"|\S+/g) ?? []
  const on = parts.some((part) => part.toLowerCase() === qualifier.toLowerCase())
  const kind = KINDS.find((one) => one.test(qualifier))
  const kept = parts.filter((part) => !kind?.test(part))
  return { text: [...kept, ...(on ? [] : [qualifier])].join(' '), on }
}
