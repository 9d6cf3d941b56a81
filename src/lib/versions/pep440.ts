/** Versions of Python packages (PEP 440), in the order of `packaging.version`. */
import { numberKey, textKey } from './sort-key.ts'

const MAX_LENGTH = 256

type Counted = { readonly kind: string; readonly number: string }

export type PythonVersion = {
  readonly epoch: string
  readonly release: readonly string[]
  readonly pre: Counted | null
  readonly post: string | null
  readonly dev: string | null
  readonly local: readonly string[]
}

const RELEASE = /^v?(?:(\d+)!)?(\d+(?:\.\d+)*)/
const PRE = /^[-_.]?(alpha|a|beta|b|preview|pre|c|rc)[-_.]?(\d*)/
const POST = /^(?:-(\d+)|[-_.]?(?:post|rev|r)[-_.]?(\d*))/
const DEV = /^[-_.]?dev[-_.]?(\d*)/
const LOCAL = /^\+([a-z0-9]+(?:[-_.][a-z0-9]+)*)$/

const PRE_KINDS: Readonly<Record<string, string>> = {
  alpha: 'a',
  a: 'a',
  beta: 'b',
  b: 'b',
  preview: 'rc',
  pre: 'rc',
  c: 'rc',
  rc: 'rc',
}

/** Digits without zeros before them. */
const plain = (digits: string): string => digits.replace(/^0+(?=\d)/, '') || '0'

/** Null for a text that is no version. */
export function parsePythonVersion(given: string): PythonVersion | null {
  const text = given.trim().toLowerCase()
  const release = text.length > MAX_LENGTH ? null : RELEASE.exec(text)
  if (!release) return null
  let rest = text.slice(release[0].length)
  const take = (pattern: RegExp): RegExpExecArray | null => {
    const match = pattern.exec(rest)
    if (match) rest = rest.slice(match[0].length)
    return match
  }
  const pre = take(PRE)
  const post = take(POST)
  const dev = take(DEV)
  const local = take(LOCAL)
  if (rest !== '') return null
  return {
    epoch: plain(release[1] ?? '0'),
    release: (release[2] ?? '').split('.').map(plain),
    pre: pre && { kind: PRE_KINDS[pre[1] ?? ''] ?? '', number: plain(pre[2] ?? '') },
    post: post && plain(post[1] ?? post[2] ?? ''),
    dev: dev && plain(dev[1] ?? ''),
    local: (local?.[1] ?? '')
      .split(/[-_.]/)
      .filter((part) => part !== '')
      .map((part) => (/^\d+$/.test(part) ? plain(part) : part)),
  }
}

/** The one spelling of a version, as `str(Version(text))` has it. */
export function pythonVersionText(version: PythonVersion): string {
  const { epoch, release, pre, post, dev, local } = version
  return [
    epoch === '0' ? '' : `${epoch}!`,
    release.join('.'),
    pre === null ? '' : `${pre.kind}${pre.number}`,
    post === null ? '' : `.post${post}`,
    dev === null ? '' : `.dev${dev}`,
    local.length === 0 ? '' : `+${local.join('.')}`,
  ].join('')
}

/** The text with one spelling; what is no version stays. */
export function normalPythonText(text: string): string {
  const version = parsePythonVersion(text)
  return version === null ? text : pythonVersionText(version)
}

/** The text for which `1.0` and `1` are one version, as they are for installers. */
export function canonicalPythonText(text: string): string {
  const version = parsePythonVersion(text)
  if (version === null) return text
  return pythonVersionText({ ...version, release: significant(version.release) })
}

/** Without zeros at the end, but for the first part. */
function significant(release: readonly string[]): readonly string[] {
  const end = release.findLastIndex((part) => part !== '0')
  return release.slice(0, Math.max(1, end + 1))
}

export const isPythonPrerelease = (text: string): boolean => {
  const version = parsePythonVersion(text)
  return version !== null && (version.pre !== null || version.dev !== null)
}

const LOWEST = '0'
const PRESENT = '1'
const HIGHEST = '2'

/** A release that is only developed comes before its first prerelease. */
function preKey({ pre, post, dev }: PythonVersion): string {
  if (pre !== null) return `${PRESENT}${pre.kind[0]}${numberKey(pre.number)}`
  return post === null && dev !== null ? LOWEST : HIGHEST
}

/** Parts end with a sign below all others, so that a shorter list is lower. */
const END = '!'

/** A key whose byte order is that of `packaging.version.Version`. */
export function pythonKey(text: string): string {
  const version = parsePythonVersion(text)
  if (version === null) return ''
  const { epoch, release, post, dev, local } = version
  const localKeys = local.map((part) =>
    /^\d+$/.test(part) ? `B${numberKey(part)}` : `A${textKey(part)}`,
  )
  return [
    numberKey(epoch),
    ...significant(release).map((part) => `A${numberKey(part)}`),
    END,
    preKey(version),
    post === null ? LOWEST : `${PRESENT}${numberKey(post)}`,
    dev === null ? HIGHEST : `${PRESENT}${numberKey(dev)}`,
    local.length === 0 ? LOWEST : `${PRESENT}${localKeys.join('')}${END}`,
  ].join('')
}
