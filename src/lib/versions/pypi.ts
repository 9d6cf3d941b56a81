/** Versions of Python packages (https://packaging.python.org/specifications/version-specifiers). */
import { numberKey, textKey } from './sort-key.ts'

const MAX_LENGTH = 256
/** `packaging.version.VERSION_PATTERN`: epoch, release, pre, post, dev and local parts. */
const VERSION =
  /^v?(?:(\d+)!)?(\d+(?:\.\d+)*)(?:[-_.]?(a|b|c|rc|alpha|beta|pre|preview)[-_.]?(\d+)?)?(?:-(\d+)|[-_.]?(post|rev|r)[-_.]?(\d+)?)?(?:[-_.]?(dev)[-_.]?(\d+)?)?(?:\+([a-z0-9]+(?:[-_.][a-z0-9]+)*))?$/

const PHASES: Readonly<Record<string, string>> = {
  alpha: 'a',
  beta: 'b',
  c: 'rc',
  pre: 'rc',
  preview: 'rc',
}

export type PythonVersion = {
  readonly epoch: string
  readonly release: readonly string[]
  readonly pre: { readonly phase: string; readonly number: string } | null
  readonly post: string | null
  readonly dev: string | null
  readonly local: readonly string[]
}

/** Null for a text that is no version. */
export function parsePythonVersion(text: string): PythonVersion | null {
  const trimmed = text.trim().toLowerCase()
  const parts: readonly (string | undefined)[] | null =
    trimmed.length > MAX_LENGTH ? null : VERSION.exec(trimmed)
  if (!parts) return null
  const [, epoch, release = '', phase, pre, implicit, post, postNumber, dev, devNumber, local] =
    parts
  return {
    epoch: epoch ?? '0',
    release: release.split('.'),
    pre: phase === undefined ? null : { phase: PHASES[phase] ?? phase, number: pre ?? '0' },
    post: implicit ?? (post === undefined ? null : (postNumber ?? '0')),
    dev: dev === undefined ? null : (devNumber ?? '0'),
    local: local === undefined ? [] : local.split(/[-_.]/),
  }
}

const ZEROS = /^0+$/
/** Below everything that a part may be. */
const FIRST = '!'
/** Above it. */
const LAST = '~'

/** Zeros at the end of the release do not count. */
function releaseKey(release: readonly string[]): string {
  const end = release.findLastIndex((part) => !ZEROS.test(part)) + 1
  return `${release
    .slice(0, end)
    .map((part) => `1${numberKey(part)}`)
    .join('')}0`
}

/** A development version without another suffix is below all prereleases. */
function preKey({ pre, post, dev }: PythonVersion): string {
  if (pre) return `${textKey(pre.phase)}${numberKey(pre.number)}`
  return post === null && dev !== null ? FIRST : LAST
}

/** Numbers are above texts, and a longer version above the one that begins it. */
const localKey = (local: readonly string[]): string =>
  `${local.map((part) => (/^\d+$/.test(part) ? `2${numberKey(part)}` : `1${textKey(part)}`)).join('')}0`

/** A key whose byte order is that of `packaging.version.Version`. */
export const pythonKey = (version: PythonVersion): string =>
  [
    numberKey(version.epoch),
    releaseKey(version.release),
    preKey(version),
    version.post === null ? FIRST : `1${numberKey(version.post)}`,
    version.dev === null ? LAST : `1${numberKey(version.dev)}`,
    localKey(version.local),
  ].join('')

export const isPythonPrerelease = ({ pre, dev }: PythonVersion): boolean =>
  pre !== null || dev !== null
