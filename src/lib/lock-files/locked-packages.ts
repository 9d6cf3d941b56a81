/**
 * What the readers of lock files share. A lock file names the exact versions that a project uses,
 * so its readers never resolve a range and never ask the network.
 */

import { objectOf, type JsonObject } from '../json-value.ts'

/** The ecosystems, as package URLs spell them (https://github.com/package-url/purl-spec). */
export const ECOSYSTEMS = [
  'npm',
  'cargo',
  'golang',
  'pypi',
  'gem',
  'composer',
  'maven',
  'nuget',
  'hex',
  'pub',
  'swift',
] as const
export type Ecosystem = (typeof ECOSYSTEMS)[number]

export type LockedPackage = {
  readonly name: string
  readonly version: string
  /** Whether it is used for development and tests only. */
  readonly isDevelopment: boolean
  /** Whether the project itself asks for it; null when the files do not say. */
  readonly isDirect: boolean | null
  readonly license: string | null
  /** The packages that it needs, as places in the list. */
  readonly requires: readonly number[]
}

/** A package as a reader finds it. */
export type FoundPackage = {
  /** Unique in its file; the name and version when it is left out. */
  readonly key?: string
  readonly name: string
  readonly version: string
  readonly isDevelopment?: boolean
  readonly isDirect?: boolean
  readonly license?: string | null
  /** The keys of packages that it needs. Unknown ones do not count. */
  readonly requires?: readonly string[]
}

/** The packages that the project itself asks for. */
export type Roots = { readonly runtime: readonly string[]; readonly development: readonly string[] }

export type FoundPackages = {
  readonly packages: readonly FoundPackage[]
  /** Keys, or names. Absent when the files do not say. */
  readonly roots?: Roots
}

/** The file is not in its format. The message ends the sentence that begins with its name. */
export class LockFileFault extends Error {}

export const MAX_LOCK_FILE_BYTES = 16 * 1024 ** 2
export const MAX_PACKAGES = 50_000
const MAX_REQUIREMENTS = 500_000
const MAX_TEXT_LENGTH = 300

/** The value of a parser; its error becomes a fault. */
export function parseWith<T>(parse: () => T, format: string): T {
  try {
    return parse()
  } catch {
    throw new LockFileFault(`is no ${format}`)
  }
}

export const parseJson = (text: string): JsonObject =>
  objectOf(parseWith(() => JSON.parse(text) as unknown, 'JSON'))
export const parseToml = (text: string): JsonObject =>
  objectOf(parseWith(() => Bun.TOML.parse(text) as unknown, 'TOML'))
export const parseYaml = (text: string): JsonObject =>
  objectOf(parseWith(() => Bun.YAML.parse(text) as unknown, 'YAML'))

const keyOf = ({ key, name, version }: FoundPackage): string => key ?? `${name}@${version}`

const isTaken = ({ name, version }: FoundPackage): boolean =>
  name !== '' &&
  version !== '' &&
  name.length <= MAX_TEXT_LENGTH &&
  version.length <= MAX_TEXT_LENGTH &&
  // Neither is text that could not be in the address of a package.
  !/[\s\0-\x1f\x7f]/.test(name) &&
  !/[\0-\x1f\x7f]/.test(version)

/** The places that can be reached from some. */
function reachable(starts: readonly number[], edges: readonly (readonly number[])[]): Set<number> {
  const seen = new Set(starts)
  const queue = [...seen]
  for (let at = queue.pop(); at !== undefined; at = queue.pop())
    for (const next of edges[at] ?? [])
      if (!seen.has(next)) {
        seen.add(next)
        queue.push(next)
      }
  return seen
}

/** Finds packages by their key, or by their name when only one has it. */
function placesOf(packages: readonly FoundPackage[]): (key: string) => readonly number[] {
  const byKey = new Map(packages.map((found, at) => [keyOf(found), at]))
  const byName = Map.groupBy(packages.keys(), (at) => packages[at]?.name)
  return (key) => {
    const at = byKey.get(key)
    return at === undefined ? (byName.get(key) ?? []).slice(0, 20) : [at]
  }
}

type Standing = { readonly direct: Set<number> | null; readonly runtime: Set<number> | null }

function standingOf(
  roots: Roots | undefined,
  find: (key: string) => readonly number[],
  edges: readonly (readonly number[])[],
): Standing {
  if (!roots) return { direct: null, runtime: null }
  const runtime = roots.runtime.flatMap(find)
  const development = roots.development.flatMap(find)
  const hasGraph = edges.some((requires) => requires.length > 0)
  const isReached = hasGraph ? reachable(runtime, edges) : null
  // Without a graph only those that are named for development are known to be.
  const others = new Set(development.filter((at) => !runtime.includes(at)))
  return {
    direct: new Set([...runtime, ...development]),
    runtime:
      isReached ??
      (others.size === 0 ? null : new Set(edges.keys().filter((at) => !others.has(at)))),
  }
}

/** The packages of a file, each once, with what follows from the graph. */
export function lockedPackages({ packages: all, roots }: FoundPackages): LockedPackage[] {
  const known = new Set<string>()
  const packages = all.filter((found) => {
    const key = keyOf(found)
    if (known.has(key) || !isTaken(found)) return false
    known.add(key)
    return true
  })
  if (packages.length > MAX_PACKAGES)
    throw new LockFileFault(`has more than ${MAX_PACKAGES} packages`)
  const find = placesOf(packages)
  let requirements = 0
  const edges = packages.map(({ requires = [] }) => {
    requirements += requires.length
    if (requirements > MAX_REQUIREMENTS)
      throw new LockFileFault(`has more than ${MAX_REQUIREMENTS} requirements`)
    return [...new Set(requires.flatMap(find))]
  })
  const { direct, runtime } = standingOf(roots, find, edges)
  return packages.map(({ name, version, isDevelopment, isDirect, license }, at) => ({
    name,
    version,
    isDevelopment: isDevelopment ?? (runtime !== null && !runtime.has(at)),
    isDirect: isDirect ?? (direct === null ? null : direct.has(at)),
    license: license?.trim().slice(0, MAX_TEXT_LENGTH) || null,
    requires: edges[at] ?? [],
  }))
}
