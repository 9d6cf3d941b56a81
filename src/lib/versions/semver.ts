/** Semantic Versioning 2.0.0 (https://semver.org), which npm and Cargo use. */
import { numberKey, textKey } from './sort-key.ts'

export type SemanticVersion = {
  readonly core: readonly [major: string, minor: string, patch: string]
  /** Empty for a release. */
  readonly prerelease: readonly string[]
  /** The build metadata, which has no part in the order. Empty without any. */
  readonly build: string
}

const MAX_LENGTH = 256
const VERSION = /^(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?$/
const NUMBER = /^\d+$/

const isNumber = (text: string): boolean => text === '0' || !text.startsWith('0')

const isIdentifier = (text: string): boolean =>
  text !== '' && (!NUMBER.test(text) || isNumber(text))

/** Null for a text that is no version by the strict grammar. */
export function parseSemver(text: string): SemanticVersion | null {
  const [whole, major = '', minor = '', patch = '', prerelease, build = ''] =
    text.length > MAX_LENGTH ? [] : (VERSION.exec(text) ?? [])
  if (whole === undefined || ![major, minor, patch].every(isNumber)) return null
  const identifiers = prerelease === undefined ? [] : prerelease.split('.')
  if (!identifiers.every(isIdentifier)) return null
  if (build !== '' && build.split('.').includes('')) return null
  return { core: [major, minor, patch], prerelease: identifiers, build }
}

const identifierKey = (identifier: string): string =>
  NUMBER.test(identifier) ? `0${numberKey(identifier)}` : `1${textKey(identifier)}`

/** The key of the part after the hyphen (section 11.4). A release sorts above its prereleases. */
export const prereleaseKey = (identifiers: readonly string[]): string =>
  identifiers.length === 0 ? '~' : `-${identifiers.map(identifierKey).join('')}`

/** A key whose byte order is the precedence of section 11. */
export const semverKey = ({ core, prerelease }: SemanticVersion): string =>
  `${core.map(numberKey).join('')}${prereleaseKey(prerelease)}`
