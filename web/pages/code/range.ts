/**
 * What a comparison's address names. `base` is null where only a head is given: it is compared with
 * the default branch.
 */
export type Range = {
  readonly base: string | null
  readonly head: string
  readonly direct: boolean
}

/**
 * Reads `<base>...<head>`, `<base>..<head>` (as they are, git-diff) or `<head>`. No name of a ref
 * has two dots in a row (git-check-ref-format), so there is one way to read it. Null for what is
 * none of these.
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
