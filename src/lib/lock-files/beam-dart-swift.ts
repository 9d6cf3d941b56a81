/** `mix.lock` of Elixir, `pubspec.lock` of Dart and `Package.resolved` of Swift. */
import { arrayOf, objectOf, textOf } from '../json-value.ts'
import {
  parseJson,
  parseYaml,
  type FoundPackage,
  type FoundPackages,
  type Roots,
} from './locked-packages.ts'

/** `"name": {:hex, :name, "1.0.0", "hash", [:mix], [{:other, "~> 1.0", …}], …`. One line a package. */
const MIX = /^\s*"[^"]+":\s*\{:hex,\s*:("?)([\w.]+)\1,\s*"([^"]+)"/
const MIX_REQUIREMENT = /\{:(\w+),/g

/** The names in `mix.exs`. */
export function mixRoots(text: string): Roots {
  const runtime: string[] = []
  const development: string[] = []
  for (const line of text.split('\n')) {
    const name = /^\[?\{:(\w+),/.exec(line.trim())?.[1]
    if (name === undefined) continue
    const only = /\bonly:\s*(\[[^\]]*\]|:\w+)/.exec(line)?.[1]
    const isDevelopment = only !== undefined && !only.includes(':prod')
    ;(isDevelopment ? development : runtime).push(name)
  }
  return { runtime, development }
}

export function readMixLock(text: string, mixExs: string | null): FoundPackages {
  const packages = text.split('\n').flatMap((line): FoundPackage[] => {
    const match = MIX.exec(line)
    const [, , name = '', version = ''] = match ?? []
    if (!match) return []
    const rest = line.slice(match[0].length)
    return [
      { name, version, requires: [...rest.matchAll(MIX_REQUIREMENT)].map(([, one = '']) => one) },
    ]
  })
  return mixExs === null ? { packages } : { packages, roots: mixRoots(mixExs) }
}

export function readPubspecLock(text: string): FoundPackages {
  const yaml = parseYaml(text)
  const packages = Object.entries(objectOf(yaml.packages)).flatMap(
    ([name, value]): FoundPackage[] => {
      const entry = objectOf(value)
      if (entry.source !== undefined && entry.source !== 'hosted') return []
      const standing = textOf(entry.dependency) ?? ''
      return [
        {
          name,
          version: textOf(entry.version) ?? '',
          isDevelopment: standing === 'direct dev',
          isDirect: standing.startsWith('direct'),
        },
      ]
    },
  )
  return { packages }
}

/** A package of Swift is named by its repository: `github.com/apple/swift-nio`. */
const swiftName = (location: string): string =>
  location
    .replace(/^git@([^:]+):/, '$1/')
    .replace(/^(?:https?|ssh|git):\/\/(?:[^@/]*@)?/, '')
    .replace(/\.git$/, '')

/** Versions 1 to 3 of the file. */
export function readPackageResolved(text: string): FoundPackages {
  const json = parseJson(text)
  const pins = [...arrayOf(json.pins), ...arrayOf(objectOf(json.object).pins)].map(objectOf)
  const packages = pins.flatMap((pin): FoundPackage[] => {
    const version = textOf(objectOf(pin.state).version)
    const location = textOf(pin.location) ?? textOf(pin.repositoryURL)
    return version === null || location === null ? [] : [{ name: swiftName(location), version }]
  })
  return { packages }
}
