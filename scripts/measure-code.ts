/**
 * Figures of the code in `src` and `web`, to see where a change takes it: `bun
 * scripts/measure-code.ts [--root DIR]`. `--root` measures another checkout with the same rules.
 */
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runScript } from './support/options.ts'
import { importedFile, parse, readSources, type Source } from './tidy/source.ts'

const MAX_FUNCTION_LINES = 60
const MAX_FOLDER_FILES = 50

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

/** Groups of files that import values of each other in a circle (Tarjan's algorithm). */
export function importCycles(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const cycles: string[][] = []
  const visit = (file: string): void => {
    const at = index.size
    index.set(file, at)
    low.set(file, at)
    stack.push(file)
    for (const to of imports.get(file) ?? []) {
      if (!index.has(to)) visit(to)
      else if (!stack.includes(to)) continue
      low.set(file, Math.min(low.get(file) ?? 0, low.get(to) ?? 0))
    }
    if (low.get(file) !== at) return
    const group = stack.splice(stack.indexOf(file))
    if (group.length > 1 || imports.get(file)?.includes(file)) cycles.push(group)
  }
  for (const file of imports.keys()) if (!index.has(file)) visit(file)
  return cycles
}

/** The figures as rows of a name and a value. */
export function measureCode(sources: readonly Source[]): [string, string][] {
  const lines = sources.flatMap(({ text }) => text.trimEnd().split('\n'))
  const parsed = sources.map((source) => ({ ...source, ...parse(source) }))
  const sizes = parsed.map(({ text }) => text.trimEnd().split('\n').length)
  const files = new Set(sources.map(({ file }) => file))
  const imports = new Map(
    parsed.map(({ file, valueImports }) => {
      const found = valueImports.map((specifier) => importedFile(file, specifier) ?? '')
      return [file, found.filter((to) => files.has(to))] as const
    }),
  )
  const folders = Map.groupBy(sources, ({ file }) => dirname(file))
  const over = (width: number): number => lines.filter((line) => line.length > width).length
  const long = parsed.flatMap(({ functions }) =>
    functions.filter(({ lines }) => lines > MAX_FUNCTION_LINES),
  )
  const widest = parsed
    .map(({ file, valueImports }) => ({ file, count: valueImports.length }))
    .sort((a, b) => b.count - a.count)
    .slice(0, 5)
  const share = (part: number): string => `${((100 * part) / lines.length).toFixed(2)} %`
  const characters = lines.reduce((sum, line) => sum + line.length, 0)
  const comments = parsed.reduce((sum, { commentLines }) => sum + commentLines, 0)
  return [
    ['files', String(sources.length)],
    ['lines', String(lines.length)],
    ['characters a line', (characters / lines.length).toFixed(1)],
    ['lines over 110 columns', `${over(110)} (${share(over(110))})`],
    ['lines over 140 columns', String(over(140))],
    ['longest line', String(Math.max(...lines.map((line) => line.length)))],
    ['functions over 60 lines', String(long.length)],
    ['median file, lines', String(median(sizes))],
    ['largest file, lines', String(Math.max(...sizes))],
    [
      'folders over 50 files',
      [...folders]
        .filter(([, found]) => found.length > MAX_FOLDER_FILES)
        .map(([folder, found]) => `${folder} ${found.length}`)
        .join(', ') || 'none',
    ],
    ['module-level state', String(parsed.reduce((sum, { state }) => sum + state.length, 0))],
    [
      'value-import cycles',
      importCycles(imports)
        .map((files) => files.join(' '))
        .join('; ') || 'none',
    ],
    ['widest imports', widest.map(({ file, count }) => `${file} ${count}`).join(', ')],
    ['comment lines', share(comments)],
  ]
}

if (import.meta.main) {
  const here = fileURLToPath(new URL('..', import.meta.url))
  const options = { root: { help: 'the checkout', default: here, kind: 'text' } } as const
  await runScript('bun scripts/measure-code.ts [options]', options, async ({ root }) => {
    for (const [name, value] of measureCode(readSources(root, ['src', 'web'])))
      process.stdout.write(`${name.padEnd(26)}${value}\n`)
    return 0
  })
}
