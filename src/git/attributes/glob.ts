/**
 * Patterns of attribute files: those of gitignore (https://git-scm.com/docs/gitignore), matched on
 * path keys. A mismatch backtracks only to the last star, so matching takes at most quadratic time.
 */

/** Whether a pattern without slashes matches one name. */
export function nameMatches(pattern: string, name: string): boolean {
  let [p, i, star, from] = [0, 0, -1, 0]
  for (;;) {
    if (i >= name.length) break
    const token = p < pattern.length ? tokenAt(pattern, p) : null
    if (token?.kind === 'star') {
      star = p++
      from = i
    } else if (token?.kind === 'one' && token.accepts(name[i] as string)) {
      p = token.end
      i++
    } else if (star >= 0) {
      p = star + 1
      i = ++from
    } else return false
  }
  while (pattern[p] === '*') p++
  return p >= pattern.length
}

type Token =
  | { readonly kind: 'star' }
  | { readonly kind: 'one'; readonly end: number; accepts(letter: string): boolean }

function tokenAt(pattern: string, at: number): Token {
  const letter = pattern[at] as string
  if (letter === '*') return { kind: 'star' }
  if (letter === '?') return { kind: 'one', end: at + 1, accepts: () => true }
  if (letter === '[') return classAt(pattern, at) ?? literal('[', at + 1)
  if (letter === '\\' && at + 1 < pattern.length) return literal(pattern[at + 1] as string, at + 2)
  return literal(letter, at + 1)
}

const literal = (wanted: string, end: number): Token => ({
  kind: 'one',
  end,
  accepts: (letter) => letter === wanted,
})

/** `[a-z_]` and `[!0-9]`; null for an unclosed bracket. */
function classAt(pattern: string, at: number): Token | null {
  let i = at + 1
  const not = pattern[i] === '!' || pattern[i] === '^'
  if (not) i++
  const first = i
  const ranges: [string, string][] = []
  for (; i < pattern.length; i++) {
    let from = pattern[i] as string
    if (from === ']' && i > first)
      return {
        kind: 'one',
        end: i + 1,
        accepts: (letter) => ranges.some(([a, b]) => a <= letter && letter <= b) !== not,
      }
    if (from === '\\' && i + 1 < pattern.length) from = pattern[++i] as string
    if (pattern[i + 1] === '-' && i + 2 < pattern.length && pattern[i + 2] !== ']') {
      ranges.push([from, pattern[i + 2] as string])
      i += 2
    } else ranges.push([from, from])
  }
  return null
}

/** Whether a pattern matches a path given as segments; `**` matches any number of them. */
export function pathMatches(pattern: readonly string[], parts: readonly string[]): boolean {
  // For each number of leading segments, whether the pattern so far matches them.
  let fits = new Set([0])
  for (const [at, word] of pattern.entries()) {
    const next = new Set<number>()
    if (word === '**') {
      // At the end `**` matches at least one segment.
      const least = Math.min(...fits) + (at === pattern.length - 1 ? 1 : 0)
      for (let end = least; end <= parts.length; end++) next.add(end)
    } else
      for (const start of fits)
        if (start < parts.length && nameMatches(word, parts[start] as string)) next.add(start + 1)
    if (next.size === 0) return false
    fits = next
  }
  return fits.has(parts.length)
}
