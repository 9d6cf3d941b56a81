/** Versions of Composer: the normal form of `composer/semver` and the order of PHP. */
import { numberKey, textKey } from './sort-key.ts'

const MAX_LENGTH = 256
const BRANCH_NUMBER = '9999999'
const STABILITY = '[._-]?(?:(stable|beta|b|rc|alpha|a|patch|pl|p)((?:[.-]?\\d+)*)?)?([.-]?dev)?'
const NUMBERS = new RegExp(`^v?(\\d{1,5})(\\.\\d+)?(\\.\\d+)?(\\.\\d+)?${STABILITY}$`, 'i')
const DATE = new RegExp(`^v?(\\d{4}(?:[.:-]?\\d{2}){1,6}(?:[.:-]?\\d{1,3})?)${STABILITY}$`, 'i')
const BRANCH = /^v?(\d+)(\.(?:\d+|[x*]))?(\.(?:\d+|[x*]))?(\.(?:\d+|[x*]))?$/i
const BUILD = /^([^,\s+]+)\+\S+$/
const NAME = /^[\w./+-]+$/

const NAMES_OF_STABILITY: Readonly<Record<string, string>> = {
  a: 'alpha',
  b: 'beta',
  p: 'patch',
  pl: 'patch',
  rc: 'RC',
}

function withStability(
  core: string,
  [name = '', number = '', dev = '']: readonly string[],
): string {
  if (name.toLowerCase() === 'stable') return core
  const lower = name.toLowerCase()
  const suffix = name === '' ? '' : `-${NAMES_OF_STABILITY[lower] ?? lower}`
  return `${core}${suffix}${name === '' ? '' : number.replace(/^[.-]+/, '')}${dev === '' ? '' : '-dev'}`
}

/** `1.x` is `1.9999999.9999999.9999999-dev`; another name of a branch is `dev-<name>`. */
function normalBranch(name: string): string {
  const [whole, ...parts] = BRANCH.exec(name) ?? []
  if (whole === undefined) return `dev-${name}`
  const numbers = [0, 1, 2, 3].map((at) => {
    const part = parts[at]?.replace('.', '')
    return part === undefined || /[x*]/i.test(part) ? BRANCH_NUMBER : part
  })
  return `${numbers.join('.')}-dev`
}

/** The normal form of a version or branch; null for a text that is neither. */
export function normalComposerVersion(text: string): string | null {
  const trimmed = text.trim()
  if (trimmed === '' || trimmed.length > MAX_LENGTH || !NAME.test(trimmed)) return null
  if (/^(?:master|trunk|default)$/.test(trimmed)) return `dev-${trimmed}`
  if (/^dev-./i.test(trimmed)) return `dev-${trimmed.slice(4)}`
  const version = BUILD.exec(trimmed)?.[1] ?? trimmed
  const numbers = NUMBERS.exec(version)
  if (numbers) {
    const [, major = '', ...rest] = numbers
    const core = [major, ...rest.slice(0, 3).map((part: string | undefined) => part ?? '.0')]
    return withStability(core.join(''), rest.slice(3))
  }
  const [, date, ...rest] = DATE.exec(version) ?? []
  if (date !== undefined) return withStability(date.replace(/\D/g, '.'), rest)
  const branch = /^(.*?)[.-]?dev$/i.exec(version)?.[1]
  return branch === undefined || branch === '' ? null : normalBranch(branch)
}

const PART = /\d+|[a-z]+/gi
const BRANCHES_FIRST = ' '
const END = 'E'
const NUMBER = 'F'
/** The places of PHP's `version_compare`. The end of a version and a number stand between. */
const PLACES: Readonly<Record<string, string>> = {
  dev: 'A',
  alpha: 'B',
  beta: 'C',
  RC: 'D',
  patch: 'G',
}

/** A key whose byte order is that of `version_compare` on normal forms. Branches come first. */
export function composerKey(normal: string): string {
  if (normal.startsWith('dev-')) return `${BRANCHES_FIRST}${textKey(normal.slice(4))}`
  const parts = normal.match(PART) ?? []
  return `${parts.map((part) => PLACES[part] ?? `${NUMBER}${numberKey(part)}`).join('')}${END}`
}

/** `stable`, `RC`, `beta`, `alpha` or `dev`, as `minimum-stability` reads it. */
export function composerStability(normal: string): 'stable' | 'RC' | 'beta' | 'alpha' | 'dev' {
  if (normal.startsWith('dev-') || normal.endsWith('-dev')) return 'dev'
  const name = /-(RC|beta|alpha)/.exec(normal)?.[1]
  return (name as 'RC' | 'beta' | 'alpha' | undefined) ?? 'stable'
}
