/**
 * Globs over names with slashes. `*` matches any characters except slashes, and `?` matches one.
 * `**` matches any characters. `**` with a slash behind it matches zero or more whole path
 * segments. All other characters match themselves.
 *
 * Matching simulates a nondeterministic automaton: it reads the text once and keeps the set of
 * possible positions in the pattern. So its time is at most pattern length times text length, also
 * for hostile patterns.
 */

export type GlobToken =
  | { readonly kind: 'char'; readonly char: string }
  /** One character of ranges, or one that is in none of them. */
  | {
      readonly kind: 'class'
      readonly isNegated: boolean
      readonly ranges: readonly (readonly [first: string, last: string])[]
    }
  | { readonly kind: 'one' | 'run' | 'any' | 'parts' }

export type Glob = { readonly source: string; matches(text: string): boolean }

function tokensOf(source: string): GlobToken[] {
  const tokens: GlobToken[] = []
  const chars = [...source]
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at] ?? ''
    if (char === '?') tokens.push({ kind: 'one' })
    else if (char !== '*') tokens.push({ kind: 'char', char })
    else if (chars[at + 1] !== '*') tokens.push({ kind: 'run' })
    else {
      while (chars[at + 1] === '*') at++
      const whole = chars[at + 1] === '/' && (tokens.length === 0 || endsInSlash(tokens))
      if (whole) at++
      tokens.push({ kind: whole ? 'parts' : 'any' })
    }
  }
  return tokens
}

function endsInSlash(tokens: readonly GlobToken[]): boolean {
  const last = tokens.at(-1)
  return last?.kind === 'parts' || (last?.kind === 'char' && last.char === '/')
}

/** Compiles a glob. Every text is a valid one. */
export const glob = (source: string): Glob => globOf(source, tokensOf(source))

/** The glob of tokens, for patterns that are written in another way. */
export function globOf(source: string, tokens: readonly GlobToken[]): Glob {
  const end = tokens.length
  const literal = tokens.every(({ kind }) => kind === 'char')
    ? tokens.map((token) => (token.kind === 'char' ? token.char : '')).join('')
    : null
  return {
    source,
    matches: (text) => (literal === null ? run(tokens, end, text) : text === literal),
  }
}

const isInClass = ({ ranges, isNegated }: Extract<GlobToken, { kind: 'class' }>, char: string) =>
  ranges.some(([first, last]) => first <= char && char <= last) !== isNegated

function run(tokens: readonly GlobToken[], end: number, text: string): boolean {
  let places = new Uint8Array(end + 1)
  /** Adds a position, and the positions behind wildcards that may match nothing. */
  const put = (set: Uint8Array, at: number) => {
    for (let place = at; set[place] === 0; place++) {
      set[place] = 1
      const kind = tokens[place]?.kind
      if (kind !== 'run' && kind !== 'any' && kind !== 'parts') return
    }
  }
  put(places, 0)
  /** Positions inside a segment that `**` with a slash skips. Only a slash ends the segment. */
  let inside = new Uint8Array(end + 1)
  for (const char of text) {
    const next = new Uint8Array(end + 1)
    const within = new Uint8Array(end + 1)
    for (let at = 0; at < end; at++) {
      const token = tokens[at]
      if (token === undefined || (places[at] === 0 && inside[at] === 0)) continue
      if (token.kind === 'parts') {
        if (char === '/' && inside[at] === 1) put(next, at)
        else if (char !== '/') within[at] = 1
      } else if (places[at] === 0) continue
      else if (token.kind === 'char') {
        if (token.char === char) put(next, at + 1)
      } else if (token.kind === 'class') {
        if (isInClass(token, char)) put(next, at + 1)
      } else if (token.kind === 'any') put(next, at)
      else if (char !== '/') put(next, token.kind === 'one' ? at + 1 : at)
    }
    places = next
    inside = within
  }
  return places[end] === 1
}

/** Whether any of the globs matches. */
export const anyMatches = (globs: readonly Glob[], text: string): boolean =>
  globs.some((one) => one.matches(text))

const WILD = /[*?]/

/** A glob for paths. With a slash at its end, or without wildcards, it matches whole folders. */
export function pathGlob(source: string): Glob {
  const clean = source.replace(/^\/+/, '')
  if (clean.endsWith('/')) return { ...glob(`${clean}**`), source }
  const exact = glob(clean)
  if (WILD.test(clean)) return { source, matches: exact.matches }
  return { source, matches: (path) => path === clean || path.startsWith(`${clean}/`) }
}
