/** `yarn.lock` of yarn 1, which is a format of its own, and of later ones, which is YAML. */
import { packageJsonRoots } from './npm.ts'
import { keysOf, objectOf, textOf } from '../json-value.ts'
import { parseYaml, type FoundPackage, type FoundPackages, type Roots } from './locked-packages.ts'

const unquote = (text: string): string => text.replace(/^"|"$/g, '')

/** `name@range`, where the name may be an alias: `a@npm:b@^1.0.0` is a range of `b`. */
function nameOfRange(range: string): string {
  const at = range.indexOf('@', 1)
  const rest = at < 0 ? '' : range.slice(at + 1)
  const alias = /^npm:((?:@[^/@]+\/)?[^/@^~<>=*\d][^/@]*)@/.exec(rest)?.[1]
  return alias ?? (at < 0 ? range : range.slice(0, at))
}

/** A range that names a file, a folder, a repository or another address. */
const NO_REGISTRY =
  /^[^@]?[^@]*@(?:file:|link:|portal:|workspace:|git\+|git:|git@|ssh:|github:|gitlab:|bitbucket:)/

type Block = { ranges: string[]; version: string | null; needs: string[] }

/** The blocks of yarn 1: a line of ranges, then indented lines of a key and a value. */
function readBlocks(text: string): Block[] {
  const blocks: Block[] = []
  let block: Block | null = null
  let isInNeeds = false
  for (const line of text.split(/\r?\n/)) {
    if (line === '' || line.startsWith('#')) continue
    if (!line.startsWith(' ')) {
      const ranges = line.replace(/:\s*$/, '').split(', ').map(unquote)
      block = { ranges, version: null, needs: [] }
      blocks.push(block)
      isInNeeds = false
    } else if (block && line.startsWith('    ') && isInNeeds) {
      const [, name = '', range = ''] = /^("[^"]+"|[^\s"]+) (.+)$/.exec(line.trim()) ?? []
      if (name !== '') block.needs.push(`${unquote(name)}@${unquote(range)}`)
    } else if (block) {
      isInNeeds = /^ {2}"?(?:optionalD|d)ependencies"?:/.test(line)
      const version = /^ {2}"?version"?:? "?([^"\s]+)"?$/.exec(line)?.[1]
      if (version !== undefined) block.version = version
    }
  }
  return blocks
}

/** The keys of ranges, so that requirements find what they were resolved to. */
function rootsByRange(roots: Roots, keys: ReadonlyMap<string, string>): Roots {
  const byName = new Map<string, string[]>()
  for (const [range, key] of keys) {
    const at = range.indexOf('@', 1)
    const name = at < 0 ? range : range.slice(0, at)
    byName.set(name, [...(byName.get(name) ?? []), key].slice(0, 20))
  }
  const find = (names: readonly string[]) => names.flatMap((name) => byName.get(name) ?? [])
  return { runtime: find(roots.runtime), development: find(roots.development) }
}

/** The packages, with what they need by its key in place of its range. */
const withKeys = (
  packages: readonly FoundPackage[],
  keys: ReadonlyMap<string, string>,
): FoundPackage[] =>
  packages.map((one) => ({
    ...one,
    requires: (one.requires ?? []).flatMap((range) => keys.get(range) ?? []),
  }))

function readClassic(text: string, packageJson: string | null): FoundPackages {
  const blocks = readBlocks(text)
  const keys = new Map<string, string>()
  const packages = blocks.flatMap(({ ranges, version, needs }): FoundPackage[] => {
    const [first = ''] = ranges
    if (version === null || ranges.every((range) => NO_REGISTRY.test(range))) return []
    const name = nameOfRange(first)
    const key = `${name}@${version}`
    for (const range of ranges) keys.set(range, key)
    return [{ key, name, version, requires: needs }]
  })
  const found = withKeys(packages, keys)
  return packageJson === null
    ? { packages: found }
    : { packages: found, roots: rootsByRange(packageJsonRoots(packageJson), keys) }
}

function readBerry(text: string, packageJson: string | null): FoundPackages {
  const yaml = parseYaml(text)
  const keys = new Map<string, string>()
  const packages: FoundPackage[] = []
  for (const [ranges, value] of Object.entries(yaml)) {
    if (ranges === '__metadata') continue
    const entry = objectOf(value)
    const version = String((entry.version as string | number | undefined) ?? '')
    const resolution = textOf(entry.resolution) ?? ranges.split(', ')[0] ?? ''
    const name = nameOfRange(resolution.replace(/@(?:npm|patch|virtual):.*$/, ''))
    // The project itself and its workspaces, and what is no package of a registry.
    if (!/^(?:@[^/@]+\/)?[^/@]+@(?:npm|patch|virtual):/.test(resolution)) continue
    const key = `${name}@${version}`
    for (const range of ranges.split(', ')) keys.set(range.replace(/@npm:/, '@'), key)
    const needs = Object.entries(objectOf(entry.dependencies)).map(
      ([one, range]) => `${one}@${String(range).replace(/^npm:/, '')}`,
    )
    packages.push({ key, name, version, requires: needs })
  }
  const found = withKeys(packages, keys)
  if (packageJson !== null)
    return { packages: found, roots: rootsByRange(packageJsonRoots(packageJson), keys) }
  const own = Object.values(yaml).filter((entry) => objectOf(entry).languageName === 'unknown')
  const runtime = own.flatMap((entry) => keysOf(objectOf(entry).dependencies))
  return own.length === 0
    ? { packages: found }
    : { packages: found, roots: rootsByRange({ runtime, development: [] }, keys) }
}

export const readYarnLock = (text: string, packageJson: string | null): FoundPackages =>
  /^__metadata:/m.test(text.slice(0, 2_000))
    ? readBerry(text, packageJson)
    : readClassic(text, packageJson)
