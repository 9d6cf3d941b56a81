/** `package-lock.json` and `npm-shrinkwrap.json` of npm, and `bun.lock`. */
import { arrayOf, isObject, keysOf, objectOf, textOf, type JsonObject } from '../json-value.ts'
import {
  LockFileFault,
  parseJson,
  parseWith,
  type FoundPackage,
  type FoundPackages,
  type Roots,
} from './locked-packages.ts'

const MODULES = 'node_modules/'
const MAX_DEPTH = 200

/** A version that names a file, a repository or another address. Advisories do not match those. */
const isAddress = (version: string): boolean => version.includes(':')

const needed = (entry: JsonObject): string[] => [
  ...keysOf(entry.dependencies),
  ...keysOf(entry.optionalDependencies),
  ...keysOf(entry.peerDependencies),
]

/** What `package.json` asks for. */
export function packageJsonRoots(text: string): Roots {
  const json = parseJson(text)
  return { runtime: needed(json), development: keysOf(json.devDependencies) }
}

/** The license of an entry, also in the old form of an object or a list. */
function licenseOf(value: unknown): string | null {
  if (typeof value === 'string') return value
  if (isObject(value)) return textOf(value.type)
  const names = arrayOf(value).flatMap((one) => licenseOf(one) ?? [])
  return names.length === 0 ? null : names.join(' OR ')
}

/** Where Node finds a package from a folder: in its own `node_modules`, or above. */
function resolveFrom(folder: string, name: string, entries: JsonObject): string | null {
  let at = folder
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const path = `${at === '' ? '' : `${at}/`}${MODULES}${name}`
    const entry = entries[path]
    if (isObject(entry)) return entry.link === true ? null : path
    if (at === '') return null
    const nested = at.lastIndexOf(`/${MODULES}`)
    const slash = at.lastIndexOf('/')
    at =
      nested >= 0
        ? at.slice(0, nested)
        : at.startsWith(MODULES) || slash < 0
          ? ''
          : at.slice(0, slash)
  }
  return null
}

/** `packages`, which versions 2 and 3 have: one entry for each folder. */
function readFolders(entries: JsonObject): FoundPackages {
  const packages: FoundPackage[] = []
  const runtime: string[] = []
  const development: string[] = []
  for (const [path, value] of Object.entries(entries)) {
    const entry = objectOf(value)
    const at = path.lastIndexOf(MODULES)
    const resolve = (names: readonly string[]) =>
      names.flatMap((name) => resolveFrom(path, name, entries) ?? [])
    if (at < 0) {
      // The project itself, or a workspace of it.
      runtime.push(...resolve(needed(entry)))
      development.push(...resolve(keysOf(entry.devDependencies)))
      continue
    }
    const version = textOf(entry.version)
    if (entry.link === true || version === null || isAddress(version)) continue
    packages.push({
      key: path,
      // An alias stands in a folder of another name.
      name: textOf(entry.name) ?? path.slice(at + MODULES.length),
      version,
      isDevelopment: entry.dev === true || entry.devOptional === true,
      license: licenseOf(entry.license ?? entry.licenses),
      requires: resolve(needed(entry)),
    })
  }
  return { packages, roots: { runtime, development } }
}

const ALIAS = /^npm:((?:@[^/@]+\/)?[^/@]+)@(.+)$/

/** `dependencies` of version 1, which are nested. */
function readNested(dependencies: unknown): FoundPackages {
  const packages: FoundPackage[] = []
  const stack = [{ of: objectOf(dependencies), above: '', depth: 0 }]
  for (let top = stack.pop(); top; top = stack.pop()) {
    if (top.depth > MAX_DEPTH) throw new LockFileFault('is nested too deeply')
    for (const [folder, value] of Object.entries(top.of)) {
      const entry = objectOf(value)
      const path = `${top.above}${MODULES}${folder}`
      if (entry.dependencies)
        stack.push({ of: objectOf(entry.dependencies), above: `${path}/`, depth: top.depth + 1 })
      const written = textOf(entry.version) ?? ''
      const [, name = folder, version = written] = ALIAS.exec(written) ?? []
      if (isAddress(version)) continue
      packages.push({
        key: path,
        name,
        version,
        isDevelopment: entry.dev === true,
        // Requirements are found as for folders.
        requires: keysOf(entry.requires).map((one) => `${path}>${one}`),
      })
    }
  }
  const folders = Object.fromEntries(packages.map(({ key = '' }) => [key, {}]))
  return {
    packages: packages.map((found) => ({
      ...found,
      requires: (found.requires ?? []).flatMap((link) => {
        const split = link.indexOf('>')
        return resolveFrom(link.slice(0, split), link.slice(split + 1), folders) ?? []
      }),
    })),
  }
}

export function readPackageLock(text: string, packageJson: string | null): FoundPackages {
  const json = parseJson(text)
  if (isObject(json.packages)) return readFolders(json.packages)
  const found = readNested(json.dependencies)
  if (packageJson === null) return found
  const { runtime, development } = packageJsonRoots(packageJson)
  const folder = (name: string) => `${MODULES}${name}`
  return {
    ...found,
    roots: { runtime: runtime.map(folder), development: development.map(folder) },
  }
}

/** Splits `@scope/name@1.0.0`; null without a version. */
export function splitAtVersion(text: string): { name: string; version: string } | null {
  const at = text.indexOf('@', 1)
  return at < 0 ? null : { name: text.slice(0, at), version: text.slice(at + 1) }
}

/** JSON with comments and commas at the end, which Bun writes. */
const parseJsonc = (text: string): JsonObject =>
  objectOf(parseWith(() => Bun.JSONC.parse(text) as unknown, 'JSON'))

/** Where a package of `bun.lock` finds another: the nearest key that ends in its name. */
function nearestKey(from: string, name: string, entries: JsonObject): string | null {
  for (let at = from; at !== ''; ) {
    if (`${at}/${name}` in entries) return `${at}/${name}`
    const slash = at.lastIndexOf('/')
    at = slash < 0 ? '' : at.slice(0, slash)
  }
  return name in entries ? name : null
}

export function readBunLock(text: string): FoundPackages {
  const json = parseJsonc(text)
  const entries = objectOf(json.packages)
  const packages = Object.entries(entries).flatMap(([key, value]): FoundPackage[] => {
    const [spec, ...rest] = arrayOf(value)
    const split = splitAtVersion(textOf(spec) ?? '')
    if (split === null || isAddress(split.version)) return []
    const facts = objectOf(rest.find(isObject))
    return [
      { key, ...split, requires: needed(facts).flatMap((n) => nearestKey(key, n, entries) ?? []) },
    ]
  })
  const workspaces = Object.values(objectOf(json.workspaces)).map(objectOf)
  return {
    packages,
    roots: {
      runtime: workspaces.flatMap(needed),
      development: workspaces.flatMap(({ devDependencies }) => keysOf(devDependencies)),
    },
  }
}
