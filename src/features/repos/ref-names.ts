/**
 * Names of refs, by the rules of git-check-ref-format
 * (https://git-scm.com/docs/git-check-ref-format).
 */

const LONGEST = 1024

/**
 * Why this cannot be the full name of a ref (`refs/…`), in words that follow "the name"; null when
 * it can.
 */
export function refNameProblem(name: string): string | null {
  if (name.length > LONGEST) return `is longer than ${LONGEST} characters`
  const parts = name.split('/')
  if (parts.length < 2 || parts.some((part) => part === '')) return 'has an empty part'
  if (parts.some((part) => part.startsWith('.'))) return 'has a part that begins with a dot'
  if (parts.some((part) => part.endsWith('.lock'))) return 'has a part that ends in .lock'
  if (name.endsWith('.')) return 'ends in a dot'
  if (name.includes('..')) return 'has two dots in a row'
  if (name.includes('@{')) return 'has @{'
  // eslint-disable-next-line no-control-regex
  if (/[\x00-\x20\x7f~^:?*[\\]/.test(name))
    return 'has a space, a control character or one of ~ ^ : ? * [ \\'
  return null
}

/**
 * The same for the short name of a branch or tag, with what git refuses for those (git-branch,
 * git-tag).
 */
export function shortNameProblem(kind: 'heads' | 'tags', name: string): string | null {
  if (name === '') return 'is empty'
  if (name.startsWith('-')) return 'begins with a hyphen'
  if (name === 'HEAD' || name === '@') return 'is a reserved word'
  if (/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(name)) return 'looks like a commit id'
  return refNameProblem(`refs/${kind}/${name}`)
}

/** The branch of a full name, or null. */
export const branchOf = (ref: string): string | null =>
  ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : null
export const tagOf = (ref: string): string | null =>
  ref.startsWith('refs/tags/') ? ref.slice('refs/tags/'.length) : null
export const branchRef = (branch: string): string => `refs/heads/${branch}`
export const tagRef = (tag: string): string => `refs/tags/${tag}`
