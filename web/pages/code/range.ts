/**
 * The range in the address of a comparison. `base` is null when the address has only a head, which
 * is compared with the default branch.
 */
export type Range = {
  readonly base: string | null
  readonly head: string
  readonly direct: boolean
}

/**
 * Reads `<base>...<head>`, `<base>..<head>` (direct, as in git-diff) or `<head>`. Ref names have no
 * two dots in a row (git-check-ref-format), so this is unambiguous. Null for anything else.
 */
export function rangeOf(text: string): Range | null {
  const at = text.indexOf('..')
  if (at === -1 || at === text.length - 2)
    return text === '' ? null : { base: null, head: text, direct: false }
  const direct = text[at + 2] !== '.' || at + 3 === text.length
  const base = text.slice(0, at)
  const head = text.slice(at + (direct ? 2 : 3))
  if (base === '' || head === '' || head.startsWith('.') || head.includes('..')) return null
  return { base, head, direct }
}
