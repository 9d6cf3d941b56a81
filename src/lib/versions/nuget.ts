/**
 * NuGet versions: SemVer 2.0.0 with an optional fourth number, compared without regard to case
 * (https://learn.microsoft.com/nuget/concepts/package-versioning).
 */
import { numberKey, textKey } from './sort-key.ts'

export type NugetVersion = {
  /** Four numbers without leading zeros. */
  readonly numbers: readonly string[]
  readonly prerelease: readonly string[]
  readonly build: string
}

const MAX_LENGTH = 256
const MAX_NUMBER = 2 ** 31 - 1
const VERSION = /^(\d+(?:\.\d+){0,3})(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?$/
const SIGNED = /^-?\d+$/
/** NuGet refuses a label that is a number with zeros before it; `0a` is a text. */
const ZEROS = /^0\d+$/

const withoutZeros = (digits: string): string => digits.replace(/^0+(?=\d)/, '')

/** Null for a text that is no version. */
export function parseNugetVersion(text: string): NugetVersion | null {
  const [whole, core = '', prerelease, build = ''] =
    text.length > MAX_LENGTH ? [] : (VERSION.exec(text) ?? [])
  if (whole === undefined) return null
  const numbers = core.split('.').map(withoutZeros)
  while (numbers.length < 4) numbers.push('0')
  if (numbers.some((number) => number.length > 10 || Number(number) > MAX_NUMBER)) return null
  const identifiers = prerelease === undefined ? [] : prerelease.split('.')
  if (identifiers.some((label) => label === '' || ZEROS.test(label))) return null
  if (build !== '' && build.split('.').includes('')) return null
  return { numbers, prerelease: identifiers, build }
}

/** The normal form: `1.01.0.0-RC+x` is `1.1.0-RC`. Two texts are one version when it is equal. */
export function normalNugetVersion({ numbers, prerelease }: NugetVersion): string {
  const core = (numbers[3] === '0' ? numbers.slice(0, 3) : numbers).join('.')
  return prerelease.length === 0 ? core : `${core}-${prerelease.join('.')}`
}

/** Whether clients without `semVerLevel=2.0.0` cannot read the version. */
export const isSemver2 = ({ prerelease, build }: NugetVersion): boolean =>
  prerelease.length > 1 || build !== ''

/** A label counts as a number when .NET reads it as one of 32 bits, also a negative one. */
const isNumeric = (label: string): boolean =>
  SIGNED.test(label) && Number(label) <= MAX_NUMBER && Number(label) >= -MAX_NUMBER - 1

const labelKey = (label: string): string =>
  isNumeric(label)
    ? `0${numberKey(String(Number(label) + MAX_NUMBER + 1))}`
    : `1${textKey(label.toLowerCase())}`

/** A key whose byte order is that of NuGet's `VersionComparer.Default`. */
export const nugetKey = ({ numbers, prerelease }: NugetVersion): string =>
  `${numbers.map(numberKey).join('')}${
    prerelease.length === 0 ? '~' : `-${prerelease.map(labelKey).join('')}`
  }`
