/** Names, versions and tags of npm (https://github.com/npm/validate-npm-package-name). */
import { invalid } from '#lib/errors.ts'

const MAX_NAME_LENGTH = 214
const PART = '[a-z0-9~-][a-z0-9._~-]*'
const NAME = new RegExp(`^(?:@${PART}/)?${PART}$`)
const RESERVED = new Set(['node_modules', 'favicon.ico'])

/** Throws 422 for a name that npm takes no new package under. */
export function parseNpmName(text: string): string {
  if (text.length > MAX_NAME_LENGTH)
    throw invalid('name', `a name has at most ${MAX_NAME_LENGTH} characters`)
  if (!NAME.test(text) || RESERVED.has(text))
    throw invalid(
      'name',
      `${text.slice(0, 100)} cannot be the name of a new package: use lower-case letters, digits, hyphens, dots and underscores, after a scope such as @acme/ if you want one`,
    )
  return text
}

/** A version of https://semver.org without `v`. */
const VERSION =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z.-]{1,200}))?(?:\+[0-9A-Za-z.-]{1,200})?$/

export const isNpmVersion = (text: string): boolean => text.length <= 256 && VERSION.test(text)

/** Build metadata makes no other version. */
export const normalNpmVersion = (version: string): string =>
  version
    .trim()
    .replace(/^[=v]+/, '')
    .split('+', 1)[0] ?? ''

export const isNpmPrerelease = (version: string): boolean =>
  VERSION.exec(version)?.[4] !== undefined

/** Throws 422 for a tag that npm would read as a version or a range. */
export function parseDistTag(text: string): string {
  if (!/^[A-Za-z0-9._-]{1,100}$/.test(text) || /^v?\d/.test(text) || text === 'x')
    throw invalid(
      'tag',
      `${text.slice(0, 100)} cannot be a tag: use letters, digits, dots and hyphens, beginning with a letter`,
    )
  return text
}
