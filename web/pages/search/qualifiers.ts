// Qualifiers of a search query, which links of the page add and remove.

/** A query has one qualifier of each of these kinds at a time. */
const KINDS: readonly RegExp[] = [
  /^is:(open|closed|merged|draft)$/i,
  /^language:/i,
  /^case:/i,
  /^generated:/i,
  /^archived:/i,
  /^no:/i,
]

/** A word, a quotation, or a qualifier with a quotation or a regular expression. */
const WORD = /-?\w{1,40}:"[^"]{0,900}"|-?\w{1,40}:\/(?:\\.|[^/\\]){0,900}\/|"[^"]{0,900}"|\S+/g

/**
 * The query with a qualifier in place of others of its kind, or without the qualifier if it has it
 * already.
 */
export function withQualifier(query: string, qualifier: string): { text: string; on: boolean } {
  const parts = query.match(WORD) ?? []
  const on = parts.some((part) => part.toLowerCase() === qualifier.toLowerCase())
  const kind = KINDS.find((one) => one.test(qualifier))
  const kept = parts.filter((part) => !kind?.test(part))
  return { text: [...kept, ...(on ? [] : [qualifier])].join(' '), on }
}
