/** Source files as the rules of `scripts/tidy.ts` and the figures of `measure-code.ts` read them. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'

/** One TypeScript file; `file` is its path from the root of the tree. */
export type Source = { readonly file: string; readonly text: string }

/** A broken rule. `line` counts from 1. */
export type Fault = { readonly file: string; readonly line: number; readonly message: string }

export const lineAt = (text: string, index: number): number =>
  text.slice(0, index).split('\n').length

/** Comments become spaces, so that what is found in the rest is code and lines keep their numbers. */
export const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\/|(?<![:'"`\\])\/\/[^\n]*/g, (comment) =>
    comment.replace(/[^\n]/g, ' '),
  )

function walk(directory: string, found: string[] = []): string[] {
  for (const name of readdirSync(directory)) {
    if (name === 'node_modules' || name === 'dist' || name.startsWith('.')) continue
    const path = join(directory, name)
    if (statSync(path).isDirectory()) walk(path, found)
    else if (/\.tsx?$/.test(name)) found.push(path)
  }
  return found
}

/** The TypeScript files below some folders of a tree. */
export const readSources = (root: string, folders: readonly string[]): Source[] =>
  folders
    .flatMap((folder) => walk(join(root, folder)))
    .map((path) => ({
      file: relative(root, path).replaceAll('\\', '/'),
      text: readFileSync(path, 'utf8'),
    }))

/** Files of the product, in contrast to tests and scripts. */
export const isProduct = (file: string): boolean =>
  file.startsWith('src/') || file.startsWith('web/')

/** The room (folder with a README and rules of its own) that a file belongs to. */
export function roomOf(file: string): string {
  const [top = '', second = '', third = ''] = file.split('/')
  if (top === 'web') return 'web'
  if (top !== 'src') return top
  if (second === 'features') return third.endsWith('.ts') ? 'features' : `features/${third}`
  if (!file.slice('src/'.length).includes('/')) return 'app'
  return second
}

const ALIASES: readonly (readonly [RegExp, string])[] = [
  [/^#git$/, 'src/git/index.ts'],
  [/^#runner$/, 'src/runner/index.ts'],
  [/^#backup$/, 'src/backup/index.ts'],
  [/^#actions$/, 'src/actions/index.ts'],
  [/^#lib\//, 'src/lib/'],
  [/^#core\//, 'src/core/'],
  [/^#features\//, 'src/features/'],
  [/^#http\//, 'src/http/'],
  [/^#web\//, 'web/'],
  [/^#src\//, 'src/'],
]

/** The file that an import names; null for a package. */
export function importedFile(from: string, specifier: string): string | null {
  if (specifier.startsWith('.'))
    return relative('.', resolve(dirname(from), specifier)).replaceAll('\\', '/')
  for (const [pattern, place] of ALIASES)
    if (pattern.test(specifier)) return specifier.replace(pattern, place)
  return null
}

/** A function with the lines from its first to its last character. */
export type FunctionSpan = { readonly name: string; readonly line: number; readonly lines: number }

/** A regular expression literal. */
export type PatternLiteral = {
  readonly line: number
  readonly source: string
  readonly flags: string
}

/** What the syntax tree of a file says. */
export type Syntax = {
  readonly functions: readonly FunctionSpan[]
  readonly patterns: readonly PatternLiteral[]
  /** Top-level `let` declarations and collections that can change, by name. */
  readonly state: readonly { readonly name: string; readonly line: number }[]
  /** Specifiers of imports and re-exports that are there at run time, not types only. */
  readonly valueImports: readonly string[]
  readonly commentLines: number
}

type Span = { readonly start: number; readonly end: number }
type Named = Span & { readonly id?: { readonly name: string } | null }

const MUTABLE_COLLECTIONS = new Set([
  'WeakMap',
  'WeakSet',
  'Map',
  'Set',
  'LRUCache',
  'AsyncLocalStorage',
])
const FACTORIES = new Set(['createCache'])

/** Parses a file. Throws an Error that names the file when its syntax is wrong. */
export function parse({ file, text }: Source): Syntax {
  const { program, comments, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`)
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  const line = (offset: number): number => {
    let low = 0
    let high = starts.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle
    }
    return low + 1
  }

  const functions: FunctionSpan[] = []
  const patterns: PatternLiteral[] = []
  const names = new Map<number, string>()
  const note = (node: Named): void => {
    const first = line(node.start)
    const name = node.id?.name ?? names.get(node.start) ?? '(anonymous)'
    functions.push({ name, line: first, lines: line(node.end) - first + 1 })
  }
  new Visitor({
    VariableDeclarator(node) {
      if (node.init && node.id.type === 'Identifier') names.set(node.init.start, node.id.name)
    },
    Property(node) {
      if (node.key.type === 'Identifier') names.set(node.value.start, node.key.name)
    },
    MethodDefinition(node) {
      if ('name' in node.key && typeof node.key.name === 'string')
        names.set(node.value.start, node.key.name)
    },
    FunctionDeclaration: note,
    FunctionExpression: note,
    ArrowFunctionExpression: note,
    Literal(node) {
      if ('regex' in node && node.regex)
        patterns.push({
          line: line(node.start),
          source: node.regex.pattern,
          flags: node.regex.flags,
        })
    },
  }).visit(program)

  const state: { name: string; line: number }[] = []
  const valueImports: string[] = []
  for (const statement of program.body) {
    const exported = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
    if (exported?.type === 'VariableDeclaration') {
      for (const { id, init } of exported.declarations) {
        const isLet = exported.kind === 'let'
        const created =
          init?.type === 'NewExpression' || init?.type === 'CallExpression' ? init.callee : null
        const creator = created?.type === 'Identifier' ? created.name : ''
        // A collection that is filled where it is declared and never changed is a table.
        const isEmptyCollection =
          MUTABLE_COLLECTIONS.has(creator) &&
          init?.type === 'NewExpression' &&
          init.arguments.length === 0
        if (isLet || isEmptyCollection || FACTORIES.has(creator))
          state.push({ name: id.type === 'Identifier' ? id.name : '', line: line(id.start) })
      }
    }
    if (statement.type === 'ImportDeclaration') {
      const named = statement.specifiers
      const isTypeOnly =
        statement.importKind === 'type' ||
        (named.length > 0 &&
          named.every((one) => one.type === 'ImportSpecifier' && one.importKind === 'type'))
      if (!isTypeOnly) valueImports.push(statement.source.value)
    }
    if (statement.type === 'ExportAllDeclaration' && statement.exportKind !== 'type')
      valueImports.push(statement.source.value)
    if (statement.type === 'ExportNamedDeclaration' && statement.source) {
      const isTypeOnly =
        statement.exportKind === 'type' ||
        statement.specifiers.every(({ exportKind }) => exportKind === 'type')
      if (!isTypeOnly) valueImports.push(statement.source.value)
    }
  }
  const commentLines = comments.reduce(
    (sum, { start, end }) => sum + line(end) - line(start) + 1,
    0,
  )
  return { functions, patterns, state, valueImports, commentLines }
}
