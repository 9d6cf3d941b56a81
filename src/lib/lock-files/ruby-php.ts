/** `Gemfile.lock` of Bundler and `composer.lock` of Composer. */
import { arrayOf, keysOf, objectOf, textOf, textsOf } from '../json-value.ts'
import { parseJson, type FoundPackage, type FoundPackages, type Roots } from './locked-packages.ts'

/** `name (1.0.0)` at four blanks, and its requirements at six. */
const SPEC = /^ {4}(\S+) \(([^)]+)\)\r?$/
const REQUIREMENT = /^ {6}(\S+)/
const DEPENDENCY = /^ {2}([^\s!]+)/

/** `1.13.3-x86_64-linux` is 1.13.3 for one platform. */
const withoutPlatform = (version: string): string => version.split('-', 1)[0] ?? version

export function readGemfileLock(text: string): FoundPackages {
  const packages: (FoundPackage & { requires: string[] })[] = []
  const runtime: string[] = []
  let section = ''
  for (const line of text.split('\n')) {
    if (/^\S/.test(line)) section = line.trim()
    else if (section === 'DEPENDENCIES') {
      const name = DEPENDENCY.exec(line)?.[1]
      if (name !== undefined) runtime.push(name)
    } else if (section === 'GEM') {
      const [, name, version] = SPEC.exec(line) ?? []
      if (name !== undefined && version !== undefined)
        packages.push({ name, version: withoutPlatform(version), requires: [] })
      else {
        const needed = REQUIREMENT.exec(line)?.[1]
        if (needed !== undefined) packages.at(-1)?.requires.push(needed)
      }
    }
  }
  return { packages, roots: { runtime, development: [] } }
}

/** What `composer.json` asks for. Names without a slash are PHP and its extensions. */
export function composerRoots(text: string): Roots {
  const json = parseJson(text)
  const names = (part: unknown) => keysOf(part).map((name) => name.toLowerCase())
  return { runtime: names(json.require), development: names(json['require-dev']) }
}

export function readComposerLock(text: string, composerJson: string | null): FoundPackages {
  const json = parseJson(text)
  const section = (name: 'packages' | 'packages-dev') =>
    arrayOf(json[name]).map((value): FoundPackage => {
      const entry = objectOf(value)
      return {
        name: (textOf(entry.name) ?? '').toLowerCase(),
        version: (textOf(entry.version) ?? '').replace(/^v(?=\d)/, ''),
        isDevelopment: name === 'packages-dev',
        license: textsOf(entry.license).join(' OR '),
        requires: keysOf(entry.require).map((one) => one.toLowerCase()),
      }
    })
  const packages = [...section('packages'), ...section('packages-dev')]
  return composerJson === null ? { packages } : { packages, roots: composerRoots(composerJson) }
}
