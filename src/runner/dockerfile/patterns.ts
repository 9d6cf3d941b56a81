/** Patterns for files: those of COPY and ADD, and those of `.dockerignore`. */
import { posix } from 'node:path'
import { globOf, type Glob, type GlobToken } from '#lib/glob.ts'

const MAX_PATTERNS = 500
const MAX_PATTERN_LENGTH = 256
/** Steps of the automata over all paths, which are a few nanoseconds each. */
const MAX_STEPS = 200_000_000

/** The end of a class of characters that begins at `at`; 0 for none. */
function endOfClass(chars: readonly string[], at: number): number {
  const first = chars[at + 1] === '^' ? at + 2 : at + 1
  for (let end = first + 1; end < chars.length; end++) if (chars[end] === ']') return end
  return 0
}

function classOf(inner: readonly string[]): GlobToken {
  const isNegated = inner[0] === '^'
  const chars = isNegated ? inner.slice(1) : inner
  const ranges: [string, string][] = []
  for (let at = 0; at < chars.length; at++) {
    const first = chars[at] === '\\' ? (chars[++at] ?? '') : (chars[at] ?? '')
    const isRange = chars[at + 1] === '-' && at + 2 < chars.length
    if (isRange) at += 2
    ranges.push([first, isRange ? (chars[at] ?? '') : first])
  }
  return { kind: 'class', isNegated, ranges }
}

/** Tokens of a pattern as Go's `filepath.Match` reads it. `**` counts where `hasDeep` says so. */
function tokensOf(pattern: string, hasDeep: boolean): GlobToken[] {
  const tokens: GlobToken[] = []
  const chars = [...pattern]
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at] ?? ''
    const end = char === '[' ? endOfClass(chars, at) : 0
    if (char === '?') tokens.push({ kind: 'one' })
    else if (end > 0) {
      tokens.push(classOf(chars.slice(at + 1, end)))
      at = end
    } else if (char === '*' && hasDeep && chars[at + 1] === '*') {
      at++
      const isBehindSlash = at === 1 || chars[at - 2] === '/'
      if (chars[at + 1] === '/') at++
      const isWhole = chars[at] === '/' && isBehindSlash && at + 1 < chars.length
      tokens.push({ kind: isWhole ? 'parts' : 'any' })
    } else if (char === '*') tokens.push({ kind: 'run' })
    else tokens.push({ kind: 'char', char: char === '\\' ? (chars[++at] ?? '\\') : char })
  }
  return tokens
}

export const hasWildcard = (text: string): boolean => /[*?[]/.test(text)

/** A pattern of COPY and ADD. */
export function copyPattern(text: string): Glob {
  if (text.length > MAX_PATTERN_LENGTH)
    throw new Error(`a pattern has more than ${MAX_PATTERN_LENGTH} characters`)
  return globOf(text, tokensOf(text, false))
}

/** Which files are left out of a build, by a text as `.dockerignore`. */
export class IgnoredFiles {
  readonly #patterns: readonly { readonly isKept: boolean; readonly glob: Glob }[]
  /** Of the patterns together. */
  readonly #length: number
  #steps = 0

  constructor(text: string) {
    const lines = text
      .replace(/^\uFEFF/, '')
      .split('\n')
      .filter((line) => !line.startsWith('#'))
      .map((line) => line.trim())
      .filter((line) => line !== '')
    if (lines.length > MAX_PATTERNS)
      throw new Error(`.dockerignore has more than ${MAX_PATTERNS} patterns`)
    this.#patterns = lines.map((line) => {
      const isKept = line.startsWith('!')
      const source = isKept ? line.slice(1).trim() : line
      if (source.length > MAX_PATTERN_LENGTH)
        throw new Error(`a pattern of .dockerignore has more than ${MAX_PATTERN_LENGTH} characters`)
      const clean = posix
        .normalize(source)
        .replace(/^\//, '')
        .replace(/(.)\/$/, '$1')
      return { isKept, glob: globOf(clean, tokensOf(clean, true)) }
    })
    this.#length = lines.reduce((sum, line) => sum + line.length, 0)
  }

  /** What was done until now, for callers that give others a turn. */
  get steps(): number {
    return this.#steps
  }

  /** Throws an Error when all calls together take too long. */
  has(path: string): boolean {
    const parts = path.split('/')
    this.#steps += this.#length * path.length * parts.length
    if (this.#steps > MAX_STEPS)
      throw new Error('.dockerignore has too many patterns for so many files')
    const paths = parts.map((_, at) => parts.slice(0, at + 1).join('/'))
    let isIgnored = false
    for (const { isKept, glob } of this.#patterns)
      if (isKept === isIgnored && paths.some((one) => glob.matches(one))) isIgnored = !isKept
    return isIgnored
  }
}
