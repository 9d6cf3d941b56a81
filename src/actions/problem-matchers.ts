/**
 * Problem matchers: expressions that find problems in the output of steps, as files of actions such
 * as `actions/setup-node` bring them. A matcher is one pattern for one line, or several patterns for
 * lines that follow each other, of which the last may repeat (`loop`).
 *
 * The expressions are a stranger's. They are read in the syntax of RE2, whose time is linear in the
 * text, and their sizes and the time that they take are bounded.
 */
import { arrayOf, objectOf, textOf } from '#lib/json-value.ts'
import { LinearPattern } from '#lib/secrets/linear-pattern.ts'

export const MAX_MATCHER_FILE_BYTES = 65_536
const MAX_MATCHERS = 20
const MAX_PATTERNS = 10
const MAX_OWNER_CHARS = 100
const MAX_EXPRESSION_CHARS = 1_000
/** Instructions of all expressions together: each may look at each character of a line. */
const MAX_PROGRAM_STEPS = 5_000
/** A longer line is no message of a compiler. */
const MAX_LINE_CHARS = 1_024

const PARTS = ['file', 'fromPath', 'line', 'column', 'severity', 'code', 'message'] as const
type Part = (typeof PARTS)[number]
type Values = Partial<Record<Part, string>>

type Pattern = {
  readonly expression: LinearPattern
  /** The group of each part. */
  readonly groups: Partial<Record<Part, number>>
  readonly loop: boolean
}

export type Problem = {
  readonly severity: 'error' | 'warning' | 'notice'
  readonly file: string | null
  readonly line: number | null
  readonly column: number | null
  readonly code: string | null
  readonly message: string
}

/** Why a file of matchers is not used. */
export class MatcherFault extends Error {}

const SEVERITIES = ['error', 'warning', 'notice'] as const

/** Colours are no part of a message (ECMA-48, select graphic rendition). */
const COLOURS = /\x1b\[[0-9;]{0,20}[mK]/g

const numberOf = (text: string | undefined): number | null =>
  text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : null

/** Instructions that expressions may still have. A large one is costly as soon as it is read. */
type Room = { steps: number }

function readPattern(value: unknown, room: Room): Pattern {
  const given = objectOf(value)
  const text = textOf(given.regexp)
  if (text === null) throw new MatcherFault('a pattern has no regexp')
  if (text.length > MAX_EXPRESSION_CHARS)
    throw new MatcherFault(`a regexp has more than ${MAX_EXPRESSION_CHARS} characters`)
  const groups: Partial<Record<Part, number>> = {}
  for (const part of PARTS) {
    const group = given[part]
    if (typeof group === 'number' && Number.isInteger(group) && group >= 0) groups[part] = group
  }
  const expression = readExpression(text)
  room.steps -= expression.size
  if (room.steps < 0)
    throw new MatcherFault('its expressions are too large together with those of the job')
  return { expression, groups, loop: given.loop === true }
}

function readExpression(text: string): LinearPattern {
  try {
    return new LinearPattern(text)
  } catch (error) {
    const why = error instanceof Error ? error.message : 'it cannot be read'
    throw new MatcherFault(`a regexp is not in the syntax of RE2: ${why}`)
  }
}

/** One matcher, and how far its patterns have come. */
class Matcher {
  /** What the lines before matched, of each pattern but the last. */
  #states: (Values | null)[] = []

  private constructor(
    readonly owner: string,
    private readonly severity: string,
    private readonly patterns: readonly Pattern[],
  ) {}

  static read(value: unknown, room: Room): Matcher {
    const { owner: name, severity, pattern } = objectOf(value)
    const owner = textOf(name) ?? ''
    if (owner === '' || owner.length > MAX_OWNER_CHARS)
      throw new MatcherFault(`a matcher needs an owner of 1 to ${MAX_OWNER_CHARS} characters`)
    const patterns = arrayOf(pattern)
    if (patterns.length === 0 || patterns.length > MAX_PATTERNS)
      throw new MatcherFault(`${owner} needs 1 to ${MAX_PATTERNS} patterns`)
    const read = patterns.map((one) => readPattern(one, room))
    if (read.slice(0, -1).some(({ loop }) => loop))
      throw new MatcherFault(`only the last pattern of ${owner} may have loop`)
    if (read.every(({ groups }) => groups.message === undefined))
      throw new MatcherFault(`no pattern of ${owner} has a message`)
    return new Matcher(owner, textOf(severity) ?? 'error', read)
  }

  get size(): number {
    return this.patterns.reduce((sum, { expression }) => sum + expression.size, 0)
  }

  reset(): void {
    this.#states = []
  }

  /** The problem that ends with this line. */
  match(line: string): Problem | null {
    const last = this.patterns.length - 1
    // From the last to the first, because each needs what the one before it matched on the line before.
    for (let at = last; at >= 0; at--) {
      const before = at === 0 ? {} : (this.#states[at - 1] ?? null)
      const found = before && this.#values(at, line, before)
      if (at < last) this.#states[at] = found
      else if (found) {
        if (this.patterns[last]?.loop !== true) this.reset()
        return this.#problem(found)
      }
    }
    return null
  }

  #values(at: number, line: string, before: Values): Values | null {
    const pattern = this.patterns[at]
    for (const { groups } of pattern?.expression.matchAll(line) ?? []) {
      const values = { ...before }
      for (const part of PARTS) {
        const text = groups[pattern?.groups[part] ?? -1]
        if (text !== undefined && text !== '') values[part] = text
      }
      return values
    }
    return null
  }

  #problem(values: Values): Problem | null {
    const word = (values.severity ?? this.severity).toLowerCase()
    const severity = SEVERITIES.find((one) => one === word)
    const message = values.message?.trim() ?? ''
    if (severity === undefined || message === '') return null
    const from = values.fromPath?.replaceAll('\\', '/') ?? ''
    const folder = from.slice(0, from.lastIndexOf('/') + 1)
    return {
      severity,
      file: values.file === undefined ? null : folder + values.file.trim(),
      line: numberOf(values.line),
      column: numberOf(values.column),
      code: values.code ?? null,
      message,
    }
  }
}

/** The matchers of a job. They see the lines of all its steps. */
export class ProblemMatchers {
  #matchers: Matcher[] = []

  get isEmpty(): boolean {
    return this.#matchers.length === 0
  }

  /** Adds the matchers of a file, in place of those of the same owners. Throws MatcherFault. */
  add(text: string): void {
    let file: unknown
    try {
      file = JSON.parse(text.replace(/^\uFEFF/, ''))
    } catch {
      throw new MatcherFault('it is not JSON')
    }
    const list = arrayOf(objectOf(file).problemMatcher)
    if (list.length === 0) throw new MatcherFault('it has no list problemMatcher')
    if (list.length > MAX_MATCHERS) throw new MatcherFault(`a job has at most ${MAX_MATCHERS}`)
    const before = this.#matchers.reduce((sum, { size }) => sum + size, 0)
    const room = { steps: MAX_PROGRAM_STEPS - before }
    const added = list.map((value) => Matcher.read(value, room))
    const owners = new Set(added.map(({ owner }) => owner))
    const all = [...added, ...this.#matchers.filter(({ owner }) => !owners.has(owner))]
    if (all.length > MAX_MATCHERS) throw new MatcherFault(`a job has at most ${MAX_MATCHERS}`)
    this.#matchers = all
  }

  remove(owner: string): void {
    this.#matchers = this.#matchers.filter((matcher) => matcher.owner !== owner)
  }

  clear(): void {
    this.#matchers = []
  }

  /** The problem that ends with this line; of several matchers the newest that has one. */
  match(text: string): Problem | null {
    if (text.length > MAX_LINE_CHARS) return null
    const line = text.replace(COLOURS, '')
    for (const matcher of this.#matchers) {
      const problem = matcher.match(line)
      if (!problem) continue
      for (const other of this.#matchers) if (other !== matcher) other.reset()
      return problem
    }
    return null
  }
}
