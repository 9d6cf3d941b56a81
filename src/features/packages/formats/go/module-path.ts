/** Paths of Go modules and their versions in the proxy protocol (https://go.dev/ref/mod). */
import { Refusal } from '#lib/errors.ts'
import { parseSemver, semverKey } from '#lib/versions/semver.ts'

const MAX_PATH_LENGTH = 500
const ELEMENT = /^[A-Za-z0-9_~](?:[\w.~-]*[\w~-])?$/
const MAJOR = /^v([1-9]\d{0,8})$/

const noModule = (text: string): Refusal =>
  new Refusal(
    'not_found',
    `${text.slice(0, 200)} is no module here: it is <host>/<workspace>/<repository>`,
  )

/** Capital letters are sent as `!` and the small letter. Throws 404 for anything else. */
export function unescapeGo(text: string): string {
  if (/[A-Z]/.test(text) || /!(?![a-z])/.test(text)) throw noModule(text)
  return text.replace(/!([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

export type ModulePath = {
  readonly module: string
  /** `<workspace>/<repository>`. */
  readonly repo: string
  /** Where its go.mod may stand: a module of a later major version has a folder, or has not. */
  readonly folders: readonly string[]
  /** The major version in the path; null for versions 0 and 1. */
  readonly major: string | null
}

/** Throws 404 for a path that names no repository of the workspace. */
export function parseModulePath(escaped: string, workspace: string): ModulePath {
  const module = unescapeGo(escaped)
  const [host = '', owner = '', name = '', ...rest] = module.split('/')
  const isPath =
    module.length <= MAX_PATH_LENGTH &&
    [host, owner, name, ...rest].every((part) => ELEMENT.test(part))
  if (!isPath || owner.toLowerCase() !== workspace.toLowerCase()) throw noModule(module)
  const number = MAJOR.exec(rest.at(-1) ?? '')?.[1] ?? null
  const major = number === null || number === '1' ? null : number
  const whole = rest.join('/')
  const folders = major === null ? [whole] : [rest.slice(0, -1).join('/'), whole]
  return { module, repo: `${owner}/${name}`, folders, major }
}

/** What tags of a module in a folder begin with. */
export const tagPrefixOf = (folder: string): string => (folder === '' ? '' : `${folder}/`)

/** Whether a text is a version of a module with this major version, such as `v1.2.3`. */
export function isVersionOf({ major }: Pick<ModulePath, 'major'>, text: string): boolean {
  const version = text.startsWith('v') ? parseSemver(text.slice(1)) : null
  if (version === null || version.build !== '') return false
  const [first] = version.core
  return major === null ? first === '0' || first === '1' : first === major
}

/** A key whose order is that of the versions. */
export const goVersionKey = (text: string): string => {
  const version = parseSemver(text.slice(1))
  return version === null ? '' : semverKey(version)
}

export const isGoPrerelease = (text: string): boolean =>
  (parseSemver(text.slice(1))?.prerelease.length ?? 0) > 0

const PSEUDO = /^v\d+\.\d+\.\d+-(?:[0-9A-Za-z.-]*\.)?\d{14}-([0-9a-f]{12})$/

/** The beginning of the commit id in a version without a tag; null for other versions. */
export const commitOfPseudoVersion = (version: string): string | null =>
  PSEUDO.exec(version)?.[1] ?? null

/** The version of a commit without a tag, above the last version before it. */
export function pseudoVersion(
  { major }: Pick<ModulePath, 'major'>,
  base: string | null,
  time: Date,
  commit: string,
): string {
  const stamp = time.toISOString().replace(/\D/g, '').slice(0, 14)
  const end = `${stamp}-${commit.slice(0, 12)}`
  const version = base === null ? null : parseSemver(base.slice(1))
  if (version === null) return `v${major ?? '0'}.0.0-${end}`
  const [first, second, third] = version.core
  return version.prerelease.length > 0
    ? `${base}.0.${end}`
    : `v${first}.${second}.${BigInt(third) + 1n}-0.${end}`
}
