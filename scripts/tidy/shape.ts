/** The size of functions, regular expressions that take quadratic time, and state of modules. */
import { analyse } from 'scslre'
import { BOUNDED_PATTERNS, LONG_FUNCTIONS, MODULE_STATE } from './exceptions.ts'
import { isProduct, parse, type Fault, type Source } from './source.ts'

export const MAX_FUNCTION_LINES = 60

const HERE = 'scripts/tidy/exceptions.ts'

/** What a check found in one file, and the exceptions that it used. */
type Findings = { readonly faults: Fault[]; readonly used: string[] }

/**
 * Whether a pattern can take more than linear time on some text. `scslre` finds the shapes of
 * super-linear backtracking: nested and adjoining quantifiers, and unanchored repetitions.
 */
export function isSuperLinear(source: string, flags: string): boolean {
  return analyse({ source, flags }).reports.length > 0
}

/** The script of a page and a worker run alone: their modules belong to one page or one thread. */
const hasProcessOfItsOwn = (file: string): boolean =>
  file.startsWith('web/client/') || file.endsWith('.worker.ts')

export function checkShape(source: Source): Findings {
  const { file } = source
  if (!isProduct(file)) return { faults: [], used: [] }
  const { functions, patterns, state } = parse(source)
  const faults: Fault[] = []
  const used: string[] = []
  for (const { name, line, lines } of functions) {
    if (lines <= MAX_FUNCTION_LINES) continue
    const key = `${file} ${name}`
    const listed = LONG_FUNCTIONS[key]
    used.push(key)
    if (listed === undefined || lines > listed) {
      const most = listed ?? MAX_FUNCTION_LINES
      faults.push({ file, line, message: `${name} has ${lines} lines, at most ${most}` })
    }
  }
  for (const { source: pattern, flags, line } of patterns) {
    if (!isSuperLinear(pattern, flags)) continue
    const key = `${file} /${pattern}/`
    used.push(key)
    if (BOUNDED_PATTERNS[key] === undefined)
      faults.push({ file, line, message: `/${pattern}/ takes more than linear time` })
  }
  for (const { name, line } of hasProcessOfItsOwn(file) ? [] : state) {
    const key = `${file} ${name}`
    used.push(key)
    if (MODULE_STATE[key] === undefined)
      faults.push({
        file,
        line,
        message: `${name} is state of a module: make it a service (core/service.ts)`,
      })
  }
  return { faults, used }
}

/** Exceptions that nothing needs any more are faults: the lists may only shrink. */
export function checkExceptions(
  used: ReadonlySet<string>,
  lists: readonly Readonly<Record<string, unknown>>[] = [
    LONG_FUNCTIONS,
    BOUNDED_PATTERNS,
    MODULE_STATE,
  ],
): Fault[] {
  return lists
    .flatMap(Object.keys)
    .filter((key) => !used.has(key))
    .map((key) => ({ file: HERE, line: 1, message: `nothing needs the exception "${key}"` }))
}
