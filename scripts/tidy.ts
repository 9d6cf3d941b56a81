/**
 * The rules of the code: who imports whom, where each package, SQL and git are used, where an
 * operation and its test stand, how long a function may be, which regular expressions are safe, and
 * that texts of pages are translated.
 * `bun scripts/tidy.ts` prints what is wrong; `test/tidy.test.ts` runs it and plants faults to see
 * that each rule finds its own.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkHomes, checkImports, checkThreads } from './tidy/imports.ts'
import { checkLists, checkOperations, checkTables } from './tidy/operations.ts'
import { checkExceptions, checkShape } from './tidy/shape.ts'
import { readSources, type Fault, type Source } from './tidy/source.ts'
import { checkWords } from './tidy/words.ts'
import { findStrays } from './texts/strays.ts'
import { isPage } from './texts.ts'

const ROOMS_WITH_README = [
  'src',
  'src/lib',
  'src/git',
  'src/runner',
  'src/backup',
  'src/actions',
  'src/core',
  'src/features',
  'src/http',
  'src/ssh',
  'src/standby',
  'web',
  'test',
  'test/system',
  'scripts',
  'scripts/bench',
  'migrations',
]
const MAX_README_LINES = 60

/** Faults of one file's text. */
export const checkSource = (source: Source): Fault[] => [
  ...checkImports(source),
  ...checkWords(source),
  ...checkShape(source).faults,
  ...(isPage(source.file) ? findStrays(source) : []),
]

function checkReadmes(root: string): Fault[] {
  return ROOMS_WITH_README.flatMap((room): Fault[] => {
    const file = `${room}/README.md`
    const path = join(root, file)
    if (!existsSync(path)) return [{ file, line: 1, message: 'a room has a README' }]
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n').length
    if (lines <= MAX_README_LINES) return []
    const message = `a README of a room has at most ${MAX_README_LINES} lines`
    return [{ file, line: MAX_README_LINES + 1, message }]
  })
}

/** All faults of the tree at `root`. */
export function tidy(root: string): Fault[] {
  const sources = readSources(root, ['src', 'web', 'test', 'scripts'])
  const files = new Set(sources.map(({ file }) => file))
  const lists = new Map(
    sources
      .filter(({ file }) => /^src\/features\/[^/]+\/operations\.ts$/.test(file))
      .map(({ file, text }) => [file, text]),
  )
  const shapes = sources.map(checkShape)
  return [
    ...sources.flatMap((source) => [...checkImports(source), ...checkWords(source)]),
    ...shapes.flatMap(({ faults }) => faults),
    ...checkExceptions(new Set(shapes.flatMap(({ used }) => used))),
    ...checkHomes(sources),
    ...checkThreads(sources),
    ...checkOperations(sources, files, lists),
    ...checkLists(lists),
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
