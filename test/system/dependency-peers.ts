/**
 * Holds the readers of lock files and the order of versions against osv-scanner, on its own test
 * data: every lock file is read by both, and every line of its vectors is compared. The vectors were
 * made by the tools of each ecosystem. Needs Go and its module proxy for the first run.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LockFileFault } from '#lib/lock-files/locked-packages.ts'
import { readLockFile } from '#lib/lock-files/read-lock-file.ts'
import { versionKey } from '#lib/versions/version-key.ts'
import { compareKeys } from '#lib/versions/sort-key.ts'
import { compareMavenVersions } from '#lib/versions/maven.ts'
import type { Ecosystem } from '#lib/lock-files/locked-packages.ts'
import { runScript, type Option } from '../../scripts/support/options.ts'

const SCANNER = 'github.com/google/osv-scanner'
const VERSION = 'v1.9.2'

const OPTIONS = {
  gopath: { kind: 'text', default: '', help: 'Where Go keeps modules and programs.' },
  all: {
    kind: 'flag',
    default: '',
    help: 'Print every difference, not only the first 20 of a kind.',
  },
} as const satisfies Record<string, Option>

/** Folders of its lock files, by the name under which both read them. */
const FOLDERS: Readonly<Record<string, string>> = {
  npm: 'package-lock.json',
  yarn: 'yarn.lock',
  pnpm: 'pnpm-lock.yaml',
  cargo: 'Cargo.lock',
  bundler: 'Gemfile.lock',
  composer: 'composer.lock',
  go: 'go.mod',
  gradle: 'gradle.lockfile',
  maven: 'pom.xml',
  mix: 'mix.lock',
  nuget: 'packages.lock.json',
  pdm: 'pdm.lock',
  pip: 'requirements.txt',
  pipenv: 'Pipfile.lock',
  poetry: 'poetry.lock',
  pub: 'pubspec.lock',
}

/** Differences that are wanted, with their reason. */
const OTHER_SOURCE = 'folders, repositories and addresses are no packages of a registry'
const INCLUDES = 'files that are included are read on their own'
const UNPINNED = 'a range names no version'
const NOT_REFUSED = 'what can be read of the file is taken'

const WANTED: readonly (readonly [file: RegExp, reason: string])[] = [
  [
    /^(?:npm|yarn|pnpm)\/(?:commits|files)\.|git|source-|with-local|has-local|tarball/,
    OTHER_SOURCE,
  ],
  [/^yarn\/with-(?:prerelease|aliases|build-string)\.v2/, 'the project itself is left out'],
  [/^pip\/(?:cyclic|duplicate|with-multiple-r)/, INCLUDES],
  [/^pip\/(?:file-format|one-package-unc|multiple-packages-mixed|with-per-req)/, UNPINNED],
  [/^maven\/interpolation/, UNPINNED],
  [/^pip\/with-bad-r|^pnpm\/invalid-package-path/, NOT_REFUSED],
  [/^pip\/line-continuation/, 'the backslash is no part of the version'],
]

const VECTORS: Readonly<Record<string, Ecosystem>> = {
  'semver-versions.txt': 'npm',
  'nuget-versions.txt': 'nuget',
  'rubygems-versions.txt': 'gem',
  'rubygems-versions-generated.txt': 'gem',
  'packagist-versions.txt': 'composer',
  'packagist-versions-generated.txt': 'composer',
  'maven-versions.txt': 'maven',
  'maven-versions-generated.txt': 'maven',
  'pypi-versions.txt': 'pypi',
  'pypi-versions-generated.txt': 'pypi',
}

/** So many lines of the vectors differ, for these reasons. */
const KNOWN: Readonly<Record<string, readonly [count: number, reason: string]>> = {
  'nuget-versions.txt': [2, 'numbers above 32 bits are refused, as NuGet does'],
  'rubygems-versions.txt': [2, '1beta is no version by the pattern of Gem::Version'],
  'packagist-versions.txt': [12, 'made by version_compare on texts that Composer refuses'],
  'packagist-versions-generated.txt': [28, 'made by version_compare, before Composer normalizes'],
  'maven-versions.txt': [1, 'the order is that of Maven 3.9'],
  'maven-versions-generated.txt': [18, 'the order is that of Maven 3.9'],
  'pypi-versions.txt': [11, 'PEP 440 leaves old texts out; they match by name only'],
  'pypi-versions-generated.txt': [69, 'PEP 440 leaves old texts out; they match by name only'],
}

type Place = { readonly scanner: string; readonly source: string }

async function installScanner(gopath: string): Promise<Place> {
  const env = gopath === '' ? process.env : { ...process.env, GOPATH: gopath }
  const root = gopath === '' ? (await Bun.$`go env GOPATH`.quiet().text()).trim() : gopath
  const scanner = join(root, 'bin/osv-scanner')
  if (!existsSync(scanner)) await Bun.$`go install ${SCANNER}/cmd/osv-scanner@${VERSION}`.env(env)
  return { scanner, source: join(root, `pkg/mod/${SCANNER}@${VERSION}`) }
}

/** What the scanner finds, as `name version`; null when it refuses the file. */
async function scan(scanner: string, name: string, path: string): Promise<Set<string> | null> {
  const flags = ['--experimental-offline', '--experimental-all-packages', '--format=json']
  const { stdout } = await Bun.$`${scanner} ${flags} -L ${`${name}:${path}`}`.quiet().nothrow()
  const text = stdout.toString()
  if (text.trim() === '') return null
  type Found = { package: { name: string; version: string; commit?: string } }
  const { results } = JSON.parse(text) as { results: { packages: Found[] }[] }
  return new Set(
    results.flatMap(({ packages }) =>
      packages.map(({ package: { name: one, version } }) => `${one} ${version}`),
    ),
  )
}

function read(name: string, path: string): Set<string> | null {
  try {
    const { packages } = readLockFile({ path: name, data: readFileSync(path), manifest: null })
    return new Set(packages.map(({ name: one, version }) => `${one} ${version}`))
  } catch (error) {
    if (error instanceof LockFileFault) return null
    throw error
  }
}

const say = (line: string): void => void process.stdout.write(`${line}\n`)

async function compareFiles({ scanner, source }: Place): Promise<number> {
  let differences = 0
  let files = 0
  for (const [folder, name] of Object.entries(FOLDERS)) {
    const directory = join(source, 'pkg/lockfile/fixtures', folder)
    for (const file of readdirSync(directory, { withFileTypes: true })) {
      if (!file.isFile()) continue
      const path = join(directory, file.name)
      const theirs = (await scan(scanner, name, path)) ?? new Set()
      const ours = read(name, path) ?? new Set()
      files++
      const missing = [...theirs].filter((one) => !ours.has(one))
      const more = [...ours].filter((one) => !theirs.has(one))
      if (missing.length + more.length === 0) continue
      const wanted = WANTED.find(([pattern]) => pattern.test(`${folder}/${file.name}`))?.[1]
      say(
        `${folder}/${file.name}: missing ${missing.join(', ') || '-'}; more ${more.join(', ') || '-'}${wanted ? ` (${wanted})` : ''}`,
      )
      if (!wanted) differences++
    }
  }
  say(`${files} lock files, ${differences} differ`)
  return differences
}

const SIGNS: Readonly<Record<string, number>> = { '<': -1, '=': 0, '>': 1 }

function compareOf(ecosystem: Ecosystem, a: string, b: string): number | null {
  if (ecosystem === 'maven') return compareMavenVersions(a, b)
  const [left, right] = [versionKey(ecosystem, a), versionKey(ecosystem, b)]
  return left === null || right === null ? null : compareKeys(left, right)
}

function compareVectors({ source }: Place, most: number): number {
  let differences = 0
  for (const [file, ecosystem] of Object.entries(VECTORS)) {
    const text = readFileSync(join(source, 'internal/semantic/fixtures', file), 'utf8')
    let count = 0
    let failed = 0
    for (const line of text.split('\n')) {
      const [a, sign, b] = line.trim().split(/\s+/)
      if (line.startsWith('#') || a === undefined || b === undefined) continue
      const wanted = SIGNS[sign ?? '']
      if (wanted === undefined) continue
      count++
      const found = compareOf(ecosystem, a, b)
      if (found === wanted) continue
      if (++failed <= most && KNOWN[file] === undefined) say(`${file}: ${line} is ${found} here`)
    }
    const [known, reason] = KNOWN[file] ?? [0, '']
    if (failed !== known) differences += failed
    say(`${file}: ${count - failed} of ${count} agree${reason === '' ? '' : ` (${reason})`}`)
  }
  return differences
}

await runScript('bun test/system/dependency-peers.ts [options]', OPTIONS, async (options) => {
  const place = await installScanner(options.gopath)
  const differences =
    (await compareFiles(place)) + compareVectors(place, options.all ? Infinity : 20)
  return differences === 0 ? 0 : 1
})
