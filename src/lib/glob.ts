/**
 * Globs over names with slashes: `*` is any run of characters without a slash, `?` one such
 * character, `**` any run at all, and `**` followed by a slash any number of whole parts, none
 * included. Everything else stands for itself.
 *
 * Matching keeps a set of places in the pattern and reads the text once, so a hostile pattern costs
 * at most its length for each character of the text.
 */

type Token =
  | { readonly kind: 'char'; readonly char: string }
  | { readonly kind: 'one' | 'run' | 'any' | 'parts' }

export type Glob = { readonly source: string; matches(text: string): boolean }

function tokensOf(source: string): Token[] {
  const tokens: Token[] = []
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

function endsInSlash(tokens: readonly Token[]): boolean {
  const last = tokens.at(-1)
  return last?.kind === 'parts' || (last?.kind === 'char' && last.char === '/')
}

/** Makes a glob ready to use. Every text is one. */
export function glob(source: string): Glob {
  const tokens = tokensOf(source)
  const end = tokens.length
  const literal = tokens.every(({ kind }) => kind === 'char')
  return {
    source,
    matches: (text) => (literal ? text === source : run(tokens, end, text)),
  }
}

function run(tokens: readonly Token[], end: number, text: string): boolean {
  let places = new Uint8Array(end + 1)
  /** A place behind stars holds as well as the place before them: they may stand for nothing. */
  const put = (set: Uint8Array, at: number) => {
    for (let place = at; set[place] === 0; place++) {
      set[place] = 1
      const kind = tokens[place]?.kind
      if (kind !== 'run' && kind !== 'any' && kind !== 'parts') return
    }
  }
  put(places, 0)
  /**
   * In the middle of a part that `**` with a slash swallows one is past its beginning: only a slash
   * leads out.
   */
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

/**
 * A glob for paths: one that ends in a slash, or has no wildcard, is also everything below it, as a
 * person who names a folder means it.
 */
export function pathGlob(source: string): Glob {
  const clean = source.replace(/^\/+/, '')
  if (clean.endsWith('/')) return { ...glob(`${clean}**`), source }
  const exact = glob(clean)
  if (WILD.test(clean)) return { source, matches: exact.matches }
  return { source, matches: (path) => path === clean || path.startsWith(`${clean}/`) }
}
