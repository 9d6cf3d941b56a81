/** Patterns for files: those of COPY and ADD, and those of `.dockerignore`. */
import { posix } from 'node:path'
import { globOf, type Glob, type GlobToken } from '#lib/glob.ts'

const MAX_PATTERNS = 1_000
const MAX_PATTERN_LENGTH = 1_000

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
export const copyPattern = (text: string): Glob => globOf(text, tokensOf(text, false))

/** Says whether files are left out of the build by a text as `.dockerignore`. */
export function ignoredBy(text: string): (path: string) => boolean {
  const patterns = text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(0, MAX_PATTERNS)
    .map((line) => {
      const isKept = line.startsWith('!')
      const source = (isKept ? line.slice(1).trim() : line).slice(0, MAX_PATTERN_LENGTH)
      const clean = posix
        .normalize(source)
        .replace(/^\//, '')
        .replace(/(.)\/$/, '$1')
      return { isKept, glob: globOf(clean, tokensOf(clean, true)) }
    })
  return (path) => {
    const parts = path.split('/')
    const paths = parts.map((_, at) => parts.slice(0, at + 1).join('/'))
    let isIgnored = false
    for (const { isKept, glob } of patterns)
      if (isKept === isIgnored && paths.some((one) => glob.matches(one))) isIgnored = !isKept
    return isIgnored
  }
}
