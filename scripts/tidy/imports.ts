/** Who may import whom, and the one place of each package. */
import {
  importedFile,
  isProduct,
  lineAt,
  parse,
  roomOf,
  withoutComments,
  type Fault,
  type Source,
} from './source.ts'

/** The trunk, in the order in which features build on each other; all other features are leaves. */
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

/** Leaves that are one part of the product together, and which earlier ones each builds on. */
const LEAF_GROUPS: Readonly<Record<string, readonly string[]>> = {
  workflows: ['variables', 'releases'],
  environments: ['workflows'],
  artifacts: ['workflows'],
  runners: ['variables', 'workflows', 'artifacts'],
  incoming: ['integrations'],
  models: ['integrations', 'agents', 'memory'],
  plans: ['agents', 'models'],
  context: ['integrations', 'memory', 'packages', 'search', 'workflows'],
  assistant: ['context', 'models', 'search'],
  triage: ['models'],
  'agent-runs': ['agents', 'integrations', 'memory', 'models'],
}

/**
 * The places (folders or files of src or web) that may import a package. Modules of Bun and Node
 * are free unless they are named here.
 */
export const HOMES: Readonly<Record<string, readonly string[]>> = {
  elysia: ['src/http/'],
  ssh2: ['src/ssh/', 'src/lib/ssh/ssh-client.ts'],
  '@modelcontextprotocol/server': ['src/http/'],
  'bun:sqlite': ['src/core/db.ts'],
  jose: ['src/features/oauth/', 'src/features/workflows/id-tokens/', 'src/lib/acme.ts'],
  '@simplewebauthn/server': ['src/features/accounts/'],
  otpauth: ['src/features/accounts/'],
  uqr: ['src/features/accounts/'],
  'openid-client': ['src/features/sso/'],
  ldapts: ['src/features/sso/'],
  'lru-cache': ['src/lib/cache.ts'],
  typebox: ['src/core/', 'src/features/', 'src/http/'],
  'highlight.js': ['web/highlight'],
  'sanitize-html': ['web/markdown'],
  // In the thread for Markdown only.
  '@mermaid-js/tiny': ['web/assets.ts'],
  temml: ['web/markdown/math'],
  gemoji: ['web/markdown/emoji.macro'],
  idiomorph: ['web/client/'],
  '@codemirror/commands': ['web/client/editor/'],
  '@codemirror/lang-cpp': ['web/client/editor/'],
  '@codemirror/lang-css': ['web/client/editor/'],
  '@codemirror/lang-go': ['web/client/editor/'],
  '@codemirror/lang-html': ['web/client/editor/'],
  '@codemirror/lang-java': ['web/client/editor/'],
  '@codemirror/lang-javascript': ['web/client/editor/'],
  '@codemirror/lang-json': ['web/client/editor/'],
  '@codemirror/lang-markdown': ['web/client/editor/'],
  '@codemirror/lang-php': ['web/client/editor/'],
  '@codemirror/lang-python': ['web/client/editor/'],
  '@codemirror/lang-rust': ['web/client/editor/'],
  '@codemirror/lang-sql': ['web/client/editor/'],
  '@codemirror/lang-xml': ['web/client/editor/'],
  '@codemirror/lang-yaml': ['web/client/editor/'],
  '@codemirror/language': ['web/client/editor/'],
  '@codemirror/legacy-modes': ['web/client/editor/'],
  '@codemirror/search': ['web/client/editor/'],
  '@codemirror/state': ['web/client/editor/'],
  '@codemirror/view': ['web/client/editor/'],
  '@lezer/highlight': ['web/client/editor/'],
  nodemailer: ['src/lib/mail.ts'],
  re2js: [
    'src/features/rulesets/',
    'src/features/search/',
    'src/features/workflows/',
    'src/lib/secrets/linear-pattern.ts',
  ],
  'age-encryption': ['src/backup/encryption.ts'],
  '@actions/expressions': ['src/actions/'],
  '@actions/workflow-parser': ['src/actions/judge.ts'],
  yaml: ['src/actions/document.ts'],
}

/** The rooms that each room may import, besides itself. Features and web have rules of their own. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  git: ['lib'],
  runner: ['lib', 'assets'],
  backup: ['lib'],
  actions: ['lib'],
  core: ['lib', 'git'],
  http: ['core', 'lib', 'git'],
  ssh: ['core', 'lib', 'git', 'http'],
  standby: ['core', 'lib'],
}

/** Packages of our own: other rooms see only their index. */
const CLOSED_ROOMS = ['git', 'runner', 'backup', 'actions']

const IMPORT =
  /\b(?:import|export)\b[^'"`;()]*?\bfrom\s*(['"])([^'"]+)\1|\bimport\s*\(\s*(['"])([^'"]+)\3|\bimport\s+(['"])([^'"]+)\5/g

const isAmong = (rooms: readonly string[], into: string, to: string): boolean =>
  rooms.includes(into) && (!CLOSED_ROOMS.includes(into) || to === `src/${into}/index.ts`)

function forbiddenInFeature(from: string, into: string, to: string): string | null {
  if (isAmong(['core', 'lib', ...CLOSED_ROOMS], into, to)) return null
  if (!into.startsWith('features/')) return 'a feature imports core, lib, git and other features'
  if (!/^src\/features\/[^/]+\/(index|schema|events)\.ts$/.test(to))
    return 'another feature is entered through its index, schema or events'
  const mine = TRUNK.indexOf(from.slice('features/'.length))
  const theirs = TRUNK.indexOf(into.slice('features/'.length))
  const leaf = from.slice('features/'.length)
  if (theirs < 0)
    return LEAF_GROUPS[leaf]?.includes(into.slice('features/'.length))
      ? null
      : 'a leaf is imported by no feature'
  if (mine >= 0 && theirs > mine) return `the trunk goes from ${TRUNK.join(' to ')}`
  return null
}

function forbiddenInWeb(into: string, to: string): string | null {
  if (isAmong(['core', 'lib'], into, to) || into === 'assets')
    return to === 'src/core/db.ts' ? 'a page calls operations, not the database' : null
  if (into.startsWith('features/'))
    return /\/(index|schema)\.ts$/.test(to)
      ? null
      : "the website imports a feature's index or schema"
  return 'the website imports core, lib, and the index or schema of features'
}

/** Why a file may not import another one; null when it may. */
function forbiddenImport(file: string, to: string): string | null {
  const from = roomOf(file)
  const into = roomOf(to)
  if (from === into || ['app', 'commands'].includes(from)) return null
  if (from === 'features')
    return into.startsWith('features/') || into === 'core'
      ? null
      : 'the list of features imports features'
  if (from === 'web') return forbiddenInWeb(into, to)
  if (from.startsWith('features/')) return forbiddenInFeature(from, into, to)
  const allowed = ALLOWED[from]
  if (allowed === undefined || isAmong(allowed, into, to)) return null
  return `${from} imports ${allowed.length === 0 ? 'nothing' : `${allowed.join(', ')} only`}`
}

/** The imports of a file, whatever their form: static, dynamic, type, re-export. */
export const importsOf = ({ text }: Pick<Source, 'text'>): { specifier: string; line: number }[] =>
  [...withoutComments(text).matchAll(IMPORT)].map((match) => ({
    specifier: match[2] ?? match[4] ?? match[6] ?? '',
    line: lineAt(text, match.index),
  }))

const packageName = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

export function checkImports(source: Source): Fault[] {
  const { file } = source
  if (!isProduct(file)) return []
  return importsOf(source).flatMap(({ specifier, line }): Fault[] => {
    const to = importedFile(file, specifier)
    if (to !== null) {
      const why = forbiddenImport(file, to)
      return why ? [{ file, line, message: `imports ${to}: ${why}` }] : []
    }
    const name = packageName(specifier)
    const homes = HOMES[name]
    if (homes?.some((home) => file.startsWith(home))) return []
    if (homes) return [{ file, line, message: `${name} is at home in ${homes.join(', ')}` }]
    if (specifier.startsWith('node:') || specifier.startsWith('bun')) return []
    const message = `the package ${name} has no home yet: give it one in scripts/tidy/imports.ts`
    return [{ file, line, message }]
  })
}

/** Homes that no file uses any more: the entry is stale. */
export function checkHomes(sources: readonly Source[]): Fault[] {
  const used = sources
    .filter(({ file }) => isProduct(file))
    .flatMap((source) =>
      importsOf(source).map(({ specifier }) => `${packageName(specifier)} ${source.file}`),
    )
  return Object.entries(HOMES).flatMap(([name, homes]) =>
    homes
      .filter((home) => !used.some((one) => one.startsWith(`${name} ${home}`)))
      .map((home) => ({
        file: 'scripts/tidy/imports.ts',
        line: 1,
        message: `${home} does not import ${name}: take the home away`,
      })),
  )
}

/** What the file `from` loads at run time, with itself, in the order in which it is found. */
function loadedBy(from: string, sources: ReadonlyMap<string, Source>): string[] {
  const loaded = new Set([from])
  for (const file of loaded) {
    const source = sources.get(file)
    if (!source) continue
    for (const specifier of parse(source).valueImports) {
      const to = importedFile(file, specifier)
      if (to !== null) loaded.add(to)
    }
  }
  return [...loaded]
}

/**
 * Threads that load a whole feature. The executable holds what each thread loads once more, and the
 * first work of a thread waits for it.
 */
export function checkThreads(sources: readonly Source[]): Fault[] {
  const byFile = new Map(sources.map((source) => [source.file, source]))
  return [...byFile.keys()]
    .filter((file) => file.endsWith('.worker.ts'))
    .flatMap((file) => {
      const feature = loadedBy(file, byFile).find((to) =>
        /^src\/features\/[^/]+\/(index|operations)\.ts$/.test(to),
      )
      return feature === undefined
        ? []
        : [{ file, line: 1, message: `a thread loads a whole feature: ${feature}` }]
    })
}
