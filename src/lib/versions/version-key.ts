/** The order of versions in each ecosystem, as keys whose byte order it is. */
import type { Ecosystem } from '../lock-files/locked-packages.ts'
import { composerKey, normalComposerVersion } from './composer.ts'
import { gemKey, isGemVersion } from './gem.ts'
import { isMavenVersion, mavenKey } from './maven.ts'
import { nugetKey, parseNugetVersion } from './nuget.ts'
import { parsePythonVersion, pythonKey } from './pep440.ts'
import { parseSemver, semverKey } from './semver.ts'

/** `1`, `v1.2` and `1.2.3.4-rc1`, which stand in advisories and files beside strict versions. */
const LOOSE =
  /^[v=]?\s*(\d+)(?:\.(\d+))?(?:\.(\d+))?((?:\.\d+)*)(?:-?((?:[A-Za-z]|(?<=-)\d)[\w.-]*))?(?:\+.*)?$/

/** The version with what is missing for the grammar of semver.org. */
function looseKey(text: string): string | null {
  const strict = parseSemver(text)
  if (strict) return semverKey(strict)
  const parts: readonly (string | undefined)[] | null = text.length > 256 ? null : LOOSE.exec(text)
  if (!parts) return null
  const [, major = '0', minor = '0', patch = '0', , rest = ''] = parts
  const core = [major, minor, patch] as const
  return semverKey({
    core,
    prerelease: rest === '' ? [] : rest.split('.').filter(Boolean),
    build: '',
  })
}

/** `1.21rc2` of the tools is `1.21.0-rc2`. */
const goKey = (text: string): string | null =>
  looseKey(text.replace(/^go/, '').replace(/(\d)(rc|beta)/, '$1-$2'))

function composerTextKey(text: string): string | null {
  const normal = normalComposerVersion(text)
  return normal === null ? null : composerKey(normal)
}

function nugetTextKey(text: string): string | null {
  const version = parseNugetVersion(text)
  return version && nugetKey(version)
}

const pythonTextKey = (text: string): string | null =>
  parsePythonVersion(text) === null ? null : pythonKey(text)

const KEYS: Readonly<Record<Ecosystem, (text: string) => string | null>> = {
  npm: looseKey,
  cargo: looseKey,
  golang: goKey,
  pypi: pythonTextKey,
  gem: (text) => (isGemVersion(text) ? gemKey(text) : null),
  composer: composerTextKey,
  maven: (text) => (isMavenVersion(text) ? mavenKey(text) : null),
  nuget: nugetTextKey,
  hex: looseKey,
  pub: looseKey,
  swift: looseKey,
}

/** Null for a text that is no version of the ecosystem. */
export const versionKey = (ecosystem: Ecosystem, text: string): string | null =>
  KEYS[ecosystem](text.trim())
