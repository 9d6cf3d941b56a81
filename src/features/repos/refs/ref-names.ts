/**
 * Names of refs, by the rules of git-check-ref-format
 * (https://git-scm.com/docs/git-check-ref-format).
 */
import { RESERVED_REF_PREFIXES } from '#core/reserved-names.ts'

const MAX_NAME_LENGTH = 1024

/**
 * Why this cannot be the full name of a ref (`refs/…`), as a phrase that follows "the name"; null
 * when it can.
 */
export function refNameProblem(name: string): string | null {
  if (name.length > MAX_NAME_LENGTH) return `is longer than ${MAX_NAME_LENGTH} characters`
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
 * Like `refNameProblem`, for the short name of a branch or tag, with the additional rules of
 * git-branch and git-tag.
 */
export function shortNameProblem(kind: 'heads' | 'tags', name: string): string | null {
  if (name === '') return 'is empty'
  if (name.startsWith('-')) return 'begins with a hyphen'
  if (name === 'HEAD' || name === '@') return 'is a reserved word'
  if (/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(name)) return 'looks like a commit id'
  return refNameProblem(`refs/${kind}/${name}`)
}

/** Whether a ref is in a namespace of the forge, such as `refs/pull/`. Nobody can push to it. */
export const isReservedRef = (ref: string): boolean =>
  RESERVED_REF_PREFIXES.some((prefix) => `${ref}/`.startsWith(prefix))

/** Returns the branch of a full ref name; null for other refs. */
export const branchOf = (ref: string): string | null =>
  ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : null
export const tagOf = (ref: string): string | null =>
  ref.startsWith('refs/tags/') ? ref.slice('refs/tags/'.length) : null
export const branchRef = (branch: string): string => `refs/heads/${branch}`
export const tagRef = (tag: string): string => `refs/tags/${tag}`
