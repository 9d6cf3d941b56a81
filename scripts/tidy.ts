/**
 * The rules of the house, checked: who imports whom, where each package is at home, where SQL may
 * stand, which words are left to one place, and that every operation has its file and its test.
 * `bun scripts/tidy.ts` prints what is wrong; `test/tidy.test.ts` runs it and plants faults to see
 * that they are found.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'

export type Fault = { readonly file: string; readonly line: number; readonly message: string }
type Source = { readonly file: string; readonly text: string }

/**
 * The trunk, in the order in which one feature may build on another; all other features are leaves.
 */
const TRUNK = [
  'accounts',
  'workspaces',
  'repos',
  'teams',
  'collaborators',
  'issues',
  'checks',
  'pulls',
]

/**
 * The one place of each package (a folder or file of src or web). Bun's and Node's own modules are
 * free unless named.
 */
const HOMES: Readonly<Record<string, readonly string[]>> = {
  elysia: ['src/http/'],
  '@modelcontextprotocol/server': ['src/http/'],
  'isomorphic-git': ['src/git/'],
  'bun:sqlite': ['src/core/db.ts'],
  jose: ['src/features/accounts/', 'src/features/oauth/', 'src/lib/acme.ts'],
  '@simplewebauthn/server': ['src/features/accounts/'],
  otpauth: ['src/features/accounts/'],
  uqr: ['src/features/accounts/'],
  'openid-client': ['src/features/sso/'],
  ldapts: ['src/features/sso/'],
  'lru-cache': ['src/lib/cache.ts', 'src/git/'],
  typebox: ['src/core/', 'src/features/', 'src/http/'],
  'highlight.js': ['web/highlight'],
  'sanitize-html': ['web/markdown'],
  nodemailer: ['src/lib/mail.ts'],
  'tar-stream': ['src/git/'],
  re2js: ['src/features/rulesets/patterns.ts', 'src/features/search/pattern.ts'],
  'age-encryption': ['src/backup/sealing.ts'],
}

/** Words that belong to one place, so that tests can replace what is behind them. */
const BANNED: readonly {
  readonly pattern: RegExp
  readonly what: string
  readonly homes: readonly string[]
}[] = [
  {
    pattern: /\bDate\.now\b|\bnew Date\(\)/,
    what: 'the present comes from the clock (lib/time.ts)',
    homes: ['src/lib/time.ts', 'web/client'],
  },
  {
    pattern: /\bprocess\.env\b|\bBun\.env\b/,
    what: 'the environment is read by config.ts',
    homes: ['src/config.ts', 'src/production.ts'],
  },
  { pattern: /\bconsole\./, what: 'logs go through lib/log.ts', homes: [] },
  {
    pattern: /(:|<|\bas|,|\|)\s*any\b(?!\w)/,
    what: 'any hides mistakes; name the type or use unknown',
    homes: [],
  },
  {
    pattern: /\b(TODO|FIXME|XXX|HACK)\b/,
    what: 'unfinished things are issues, not comments',
    homes: [],
  },
  { pattern: /@ts-(ignore|nocheck)/, what: 'the type checker is not to be silenced', homes: [] },
  {
    pattern: /\b(test|it|describe)\.(skip|only|todo)\b/,
    what: 'no test is skipped or alone',
    homes: [],
  },
]

const SQL = /(['"`])\s*(SELECT|INSERT INTO|INSERT OR|UPDATE \w+ SET|DELETE FROM|WITH RECURSIVE)\b/
const MAY_HOLD_SQL = [
  /^src\/core\/(db|migrate|events|jobs|idempotency|audit)\.ts$/,
  /^src\/features\/[^/]+\/(.*-)?store(-[^/]*)?\.ts$/,
  /^src\/features\/[^/]+\/store\//,
]

/** Comments and, for words that may stand in texts, string contents are not code. */
const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\/|(?<![:'"`\\])\/\/[^\n]*/g, (comment) =>
    comment.replace(/[^\n]/g, ' '),
  )

const room = (file: string): string => {
  const [top = '', second = '', third = ''] = file.split('/')
  if (top === 'web') return 'web'
  if (top !== 'src') return top
  if (second === 'features') return third.endsWith('.ts') ? 'features' : `features/${third}`
  if (!file.slice(4).includes('/')) return 'app'
  return second
}

const ALIASES: readonly [RegExp, string][] = [
  [/^#git$/, 'src/git/index.ts'],
  [/^#runner$/, 'src/runner/index.ts'],
  [/^#backup$/, 'src/backup/index.ts'],
  [/^#lib\//, 'src/lib/'],
  [/^#core\//, 'src/core/'],
  [/^#features\//, 'src/features/'],
  [/^#http\//, 'src/http/'],
  [/^#web\//, 'web/'],
  [/^#src\//, 'src/'],
]

/** The file in the tree that an import names, or null for a package. */
function target(from: string, specifier: string): string | null {
  if (specifier.startsWith('.'))
    return relative('.', resolve(dirname(from), specifier)).replaceAll('\\', '/')
  for (const [pattern, place] of ALIASES)
    if (pattern.test(specifier)) return specifier.replace(pattern, place)
  return null
}

/** Why a file of one room may not import a file of another; null when it may. */
function forbiddenImport(file: string, to: string): string | null {
  const from = room(file)
  const into = room(to)
  if (
    from === into ||
    from === 'app' ||
    from === 'commands' ||
    from === 'test' ||
    from === 'scripts'
  )
    return null
  const allowed = (rooms: readonly string[]): boolean =>
    rooms.includes(into) &&
    (into !== 'git' || to === 'src/git/index.ts') &&
    (into !== 'runner' || to === 'src/runner/index.ts') &&
    (into !== 'backup' || to === 'src/backup/index.ts')
  if (from === 'lib') return 'lib imports nothing'
  if (from === 'git') return allowed(['lib']) ? null : 'git imports lib only'
  if (from === 'runner') return allowed(['lib']) ? null : 'runner imports lib only'
  if (from === 'backup') return allowed(['lib']) ? null : 'backup imports lib only'
  if (from === 'core')
    return allowed(['lib', 'git']) ? null : 'core imports lib and the index of git'
  if (from === 'http')
    return allowed(['core', 'lib', 'git']) ? null : 'a door knows operations, never features'
  if (from === 'features')
    return into.startsWith('features/') || into === 'core'
      ? null
      : 'the list of features imports features'
  if (from === 'web') {
    if (allowed(['core', 'lib']) || into === 'assets')
      return to === 'src/core/db.ts' ? 'a page asks operations, not the database' : null
    if (into.startsWith('features/'))
      return /\/(index|schema)\.ts$/.test(to)
        ? null
        : "the website imports a feature's index or schema"
    return 'the website imports core, lib, and the index or schema of features'
  }
  if (from.startsWith('features/')) {
    if (allowed(['core', 'lib', 'git', 'runner', 'backup'])) return null
    if (!into.startsWith('features/')) return 'a feature imports core, lib, git and other features'
    if (!/\/(index|schema|events)\.ts$/.test(to))
      return 'another feature is entered through its index, schema or events'
    const mine = TRUNK.indexOf(from.slice(9))
    const theirs = TRUNK.indexOf(into.slice(9))
    if (theirs < 0) return 'a leaf is imported by no feature'
    if (mine >= 0 && theirs > mine) return `the trunk goes from ${TRUNK.join(' to ')}`
    return null
  }
  return null
}

/** Faults of one file's text; the whole of what a single file can do wrong. */
export function checkSource({ file, text }: Source): Fault[] {
  const faults: Fault[] = []
  const code = withoutComments(text)
  const at = (index: number): number => text.slice(0, index).split('\n').length
  const product = file.startsWith('src/') || file.startsWith('web/')

  for (const match of code.matchAll(
    /\b(?:import|export)\b[^'"`;()]*?\bfrom\s*(['"])([^'"]+)\1|\bimport\s*\(\s*(['"])([^'"]+)\3|\bimport\s+(['"])([^'"]+)\5/g,
  )) {
    const specifier = match[2] ?? match[4] ?? match[6] ?? ''
    const to = target(file, specifier)
    if (to === null) {
      const name = specifier.startsWith('@')
        ? specifier.split('/').slice(0, 2).join('/')
        : (specifier.split('/')[0] ?? '')
      const homes = HOMES[name]
      if (product && homes && !homes.some((home) => file.startsWith(home))) {
        faults.push({
          file,
          line: at(match.index),
          message: `${name} is at home in ${homes.join(', ')}`,
        })
      }
      if (product && !homes && !specifier.startsWith('node:') && !specifier.startsWith('bun')) {
        faults.push({
          file,
          line: at(match.index),
          message: `the package ${name} has no home yet: give it one in scripts/tidy.ts`,
        })
      }
    } else if (product) {
      const why = forbiddenImport(file, to)
      if (why) faults.push({ file, line: at(match.index), message: `imports ${to}: ${why}` })
    }
  }

  const lines = code.split('\n')
  const original = text.split('\n')
  lines.forEach((line, index) => {
    for (const { pattern, what, homes } of BANNED) {
      const unfinished = pattern.source.includes('TODO')
      if (!product && !unfinished && !pattern.source.includes('skip')) continue
      if (!(unfinished ? pattern.test(original[index] ?? '') : pattern.test(line))) continue
      if (
        homes.some((home) => file.startsWith(home)) ||
        file === 'scripts/tidy.ts' ||
        file === 'test/tidy.test.ts'
      )
        continue
      faults.push({ file, line: index + 1, message: what })
    }
    if (file.startsWith('web/') && /\bhearth\.(db|database|writer)\b/.test(line))
      faults.push({ file, line: index + 1, message: 'a page asks operations, not the database' })
    if (
      product &&
      file.startsWith('src/') &&
      SQL.test(line) &&
      !MAY_HOLD_SQL.some((place) => place.test(file))
    ) {
      faults.push({ file, line: index + 1, message: 'SQL stands in a store' })
    }
  })
  // Files of a repository are shown as they are; what a visitor may see of it must have been asked
  // before.
  if (
    file.startsWith('web/') &&
    /\bhearth\.git\b/.test(code) &&
    !(/\bvisit\.call\(|\blocate\(/.test(code) && /\bfacts\.repo\(/.test(code))
  ) {
    faults.push({
      file,
      line: at(code.search(/\bhearth\.git\b/)),
      message:
        'git is read for a visitor after an operation let them in, in the store that facts.repo gives',
    })
  }
  return faults
}

const kebab = (name: string): string => name.replaceAll('_', '-')

/**
 * Every operation has the file that its name says, and a test: at the mirrored path, or one beside
 * it that imports the operation.
 */
export function checkOperations(sources: readonly Source[], tests: ReadonlySet<string>): Fault[] {
  const faults: Fault[] = []
  const imported = new Set(
    sources.flatMap(({ file, text }) =>
      file.startsWith('test/features/')
        ? [...text.matchAll(/'#(features\/[^']+\.ts)'/g)].map((match) => `src/${match[1]}`)
        : [],
    ),
  )
  for (const { file, text } of sources) {
    if (!file.startsWith('src/features/')) continue
    for (const match of text.matchAll(/\boperation\(\{\s*name:\s*'([a-z_]+)'/g)) {
      const name = match[1] ?? ''
      const line = text.slice(0, match.index).split('\n').length
      if (basename(file) !== `${kebab(name)}.ts`)
        faults.push({ file, line, message: `the operation ${name} belongs in ${kebab(name)}.ts` })
      const expected = file.replace(/^src\//, 'test/').replace(/\.ts$/, '.test.ts')
      if (!tests.has(expected) && !imported.has(file))
        faults.push({ file, line, message: `the operation ${name} has no test at ${expected}` })
    }
  }
  return faults
}

/** Each table is written by one feature. */
export function checkTables(sources: readonly Source[]): Fault[] {
  const writers = new Map<string, { owner: string; file: string; line: number }>()
  const faults: Fault[] = []
  for (const { file, text } of sources) {
    if (!file.startsWith('src/features/') && !file.startsWith('src/core/')) continue
    const owner = room(file)
    for (const match of withoutComments(text).matchAll(
      /\b(?:INSERT (?:OR \w+ )?INTO|UPDATE|DELETE FROM)\s+([a-z_]+)\b(?=[\s(])/g,
    )) {
      const table = match[1] ?? ''
      if (table === 'one' || table === 'set') continue
      const line = text.slice(0, match.index).split('\n').length
      const first = writers.get(table)
      if (!first) writers.set(table, { owner, file, line })
      else if (first.owner !== owner)
        faults.push({
          file,
          line,
          message: `the table ${table} is written by ${first.owner} (${first.file})`,
        })
    }
  }
  return faults
}

function walk(directory: string, found: string[] = []): string[] {
  for (const name of readdirSync(directory)) {
    if (name === 'node_modules' || name === 'dist' || name.startsWith('.')) continue
    const path = join(directory, name)
    if (statSync(path).isDirectory()) walk(path, found)
    else if (/\.tsx?$/.test(name)) found.push(path)
  }
  return found
}

/** Rooms have a README of at most 60 lines. */
function checkReadmes(root: string): Fault[] {
  const faults: Fault[] = []
  for (const place of [
    'src',
    'src/lib',
    'src/git',
    'src/runner',
    'src/backup',
    'src/core',
    'src/features',
    'src/http',
    'web',
    'test',
    'scripts',
    'migrations',
  ]) {
    const file = `${place}/README.md`
    const path = join(root, file)
    if (!existsSync(path)) faults.push({ file, line: 1, message: 'a room has a README' })
    else if (readFileSync(path, 'utf8').trimEnd().split('\n').length > 60)
      faults.push({ file, line: 61, message: 'a README of a room has at most 60 lines' })
  }
  return faults
}

export function tidy(root: string): Fault[] {
  const sources = ['src', 'web', 'test', 'scripts']
    .flatMap((place) => walk(join(root, place)))
    .map(
      (path): Source => ({
        file: relative(root, path).replaceAll('\\', '/'),
        text: readFileSync(path, 'utf8'),
      }),
    )
  const files = new Set(sources.map(({ file }) => file))
  return [
    ...sources.flatMap(checkSource),
    ...checkOperations(sources, files),
    ...checkTables(sources),
    ...checkReadmes(root),
  ]
}

if (import.meta.main) {
  const faults = tidy(join(import.meta.dir, '..'))
  for (const { file, line, message } of faults)
    process.stdout.write(`${file}:${line}: ${message}\n`)
  process.stdout.write(faults.length === 0 ? 'tidy\n' : `${faults.length} faults\n`)
  process.exit(faults.length === 0 ? 0 : 1)
}
