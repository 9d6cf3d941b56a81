/** Which files are lock files, and how each is read. */
import { readMixLock, readPackageResolved, readPubspecLock } from './beam-dart-swift.ts'
import { readGoMod } from './go-mod.ts'
import { readGradleLock, readNugetLock, readPackagesConfig, readPom } from './java-net.ts'
import {
  LockFileFault,
  lockedPackages,
  MAX_LOCK_FILE_BYTES,
  type Ecosystem,
  type FoundPackages,
  type LockedPackage,
} from './locked-packages.ts'
import { readBunLock, readPackageLock } from './npm.ts'
import { readPnpmLock } from './pnpm.ts'
import { readPipfileLock, readRequirements } from './python.ts'
import { readComposerLock, readGemfileLock } from './ruby-php.ts'
import {
  pipfileRoots,
  readCargoLock,
  readPdmLock,
  readPoetryLock,
  readUvLock,
} from './toml-locks.ts'
import { readYarnLock } from './yarn.ts'

type Format = {
  readonly ecosystem: Ecosystem
  /** The file beside it that says which packages the project asks for. */
  readonly manifest?: string
  readonly read: (text: string, manifest: string | null) => FoundPackages
}

const FORMATS: Readonly<Record<string, Format>> = {
  'package-lock.json': { ecosystem: 'npm', manifest: 'package.json', read: readPackageLock },
  'npm-shrinkwrap.json': { ecosystem: 'npm', manifest: 'package.json', read: readPackageLock },
  'yarn.lock': { ecosystem: 'npm', manifest: 'package.json', read: readYarnLock },
  'pnpm-lock.yaml': { ecosystem: 'npm', read: readPnpmLock },
  'bun.lock': { ecosystem: 'npm', read: readBunLock },
  'Cargo.lock': { ecosystem: 'cargo', read: readCargoLock },
  'go.mod': { ecosystem: 'golang', read: readGoMod },
  'poetry.lock': { ecosystem: 'pypi', manifest: 'pyproject.toml', read: readPoetryLock },
  'uv.lock': { ecosystem: 'pypi', read: readUvLock },
  'pdm.lock': { ecosystem: 'pypi', manifest: 'pyproject.toml', read: readPdmLock },
  'Pipfile.lock': {
    ecosystem: 'pypi',
    manifest: 'Pipfile',
    read: (text, pipfile) => readPipfileLock(text, pipfile === null ? null : pipfileRoots(pipfile)),
  },
  'requirements*.txt': { ecosystem: 'pypi', read: readRequirements },
  'Gemfile.lock': { ecosystem: 'gem', read: readGemfileLock },
  'gems.locked': { ecosystem: 'gem', read: readGemfileLock },
  'composer.lock': { ecosystem: 'composer', manifest: 'composer.json', read: readComposerLock },
  'pom.xml': { ecosystem: 'maven', read: readPom },
  'gradle.lockfile': { ecosystem: 'maven', read: readGradleLock },
  'packages.lock.json': { ecosystem: 'nuget', read: readNugetLock },
  'packages.config': { ecosystem: 'nuget', read: readPackagesConfig },
  'mix.lock': { ecosystem: 'hex', manifest: 'mix.exs', read: readMixLock },
  'pubspec.lock': { ecosystem: 'pub', read: readPubspecLock },
  'Package.resolved': { ecosystem: 'swift', read: readPackageResolved },
}

/** The names of files that are looked for in a tree; `*` stands for any text. */
export const LOCK_FILE_NAMES: readonly string[] = Object.keys(FORMATS)
export const MANIFEST_NAMES: readonly string[] = [
  ...new Set(Object.values(FORMATS).flatMap(({ manifest }) => manifest ?? [])),
]

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

function formatOf(path: string): Format | null {
  const name = baseName(path)
  if (Object.hasOwn(FORMATS, name)) return FORMATS[name] ?? null
  return /^requirements[\w.-]*\.txt$/.test(name) ? (FORMATS['requirements*.txt'] ?? null) : null
}

export const isLockFile = (path: string): boolean => formatOf(path) !== null

/** The path of the file beside a lock file that says what the project asks for; null for none. */
export function manifestPath(path: string): string | null {
  const manifest = formatOf(path)?.manifest
  return manifest === undefined
    ? null
    : `${path.slice(0, path.length - baseName(path).length)}${manifest}`
}

export type ReadLockFile = {
  readonly ecosystem: Ecosystem
  readonly packages: readonly LockedPackage[]
}

export type LockFileSource = {
  readonly path: string
  readonly data: Uint8Array
  /** The file at `manifestPath`. */
  readonly manifest: Uint8Array | null
}

const textOfBytes = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

/** Throws LockFileFault for a file that cannot be read. */
export function readLockFile({ path, data, manifest }: LockFileSource): ReadLockFile {
  const format = formatOf(path)
  if (format === null) throw new LockFileFault('is no lock file that is known')
  if (data.length > MAX_LOCK_FILE_BYTES) throw new LockFileFault('is larger than 16 MiB')
  try {
    return {
      ecosystem: format.ecosystem,
      packages: lockedPackages(readWith(format, data, manifest)),
    }
  } catch (error) {
    // Deep nesting of values that a format does not have.
    if (error instanceof RangeError) throw new LockFileFault('is nested too deeply')
    throw error
  }
}

/** A manifest with a fault says nothing, and its lock file is read all the same. */
function readWith(format: Format, data: Uint8Array, manifest: Uint8Array | null): FoundPackages {
  const text = textOfBytes(data)
  if (manifest === null || manifest.length > MAX_LOCK_FILE_BYTES) return format.read(text, null)
  try {
    return format.read(text, textOfBytes(manifest))
  } catch (error) {
    if (error instanceof LockFileFault) return format.read(text, null)
    throw error
  }
}
