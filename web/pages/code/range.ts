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
  const [, base, dots, head] = /^(.*?)(\.{2,3})(.+)$/s.exec(text) ?? []
  if (dots === undefined) return text === '' ? null : { base: null, head: text, direct: false }
  if (!base || !head || head.startsWith('.') || head.includes('..')) return null
  return { base, head, direct: dots === '..' }
}
