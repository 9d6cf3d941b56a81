/** Parses a `.gitattributes` file (https://git-scm.com/docs/gitattributes). */
import type { PathKey } from '../history/names.ts'

/** Set, unset, or a value; null is unspecified, which cancels earlier rules. */
export type AttributeValue = true | false | string | null

export type Setting = readonly [name: string, value: AttributeValue]

export type AttributeRule = {
  /**
   * The segments of a pattern with a slash, which is matched from the directory of the file. A
   * single segment matches any name below.
   */
  readonly pattern: readonly string[]
  readonly anchored: boolean
  /** Whether the pattern ends in a slash and so matches directories only. */
  readonly isDirectory: boolean
  readonly settings: readonly Setting[]
}

export type AttributeFile = {
  readonly rules: readonly AttributeRule[]
  readonly macros: ReadonlyMap<string, readonly Setting[]>
}

/** The attributes that the engine uses; rules for others are dropped. */
const USED_ATTRIBUTES = new Set(
  [
    'merge diff binary export-ignore export-subst text crlf eol ident filter',
    'linguist-generated linguist-vendored linguist-documentation linguist-detectable linguist-language',
  ].flatMap((names) => names.split(' ')),
)
const MAX_RULES = 2_000

const NAME = /^[A-Za-z0-9_.][-A-Za-z0-9_.]*$/

function settingOf(word: string): Setting | null {
  const prefix = word[0]
  const name = prefix === '-' || prefix === '!' ? word.slice(1) : (word.split('=', 1)[0] ?? '')
  if (!NAME.test(name)) return null
  if (prefix === '-') return [name, false]
  if (prefix === '!') return [name, null]
  return [name, word.length === name.length ? true : word.slice(name.length + 1)]
}

const settingsOf = (words: readonly string[]): Setting[] =>
  words.map(settingOf).filter((setting) => setting !== null)

/** The pattern and the rest of a line; a quoted pattern may contain spaces. */
function split(line: string): { pattern: string; words: string[] } | null {
  const [whole = '', quoted, plain] = /^(?:"((?:\\.|[^"\\])*)"(?=\s|$)|(\S+))/s.exec(line) ?? []
  const rest = line.slice(whole.length)
  const pattern = quoted === undefined ? plain : quoted.replace(/\\(["\\])/g, '$1')
  if (pattern === undefined || pattern === '') return null
  return { pattern, words: rest.split(/[ \t\r]+/).filter((word) => word !== '') }
}

/**
 * The rules of a file in order. Macros (`[attr]name …`) are accepted only where git accepts them,
 * at the root. As in git, comments and patterns that begin with `!` are ignored.
 */
export function parseAttributes(
  text: PathKey,
  { top, known = new Map() }: { top: boolean; known?: ReadonlyMap<string, readonly Setting[]> },
): AttributeFile {
  const rules: AttributeRule[] = []
  const macros = new Map(known)
  for (const raw of text.replace(/^\xef\xbb\xbf/, '').split('\n')) {
    const line = raw.replace(/^[ \t\r]+/, '').trimEnd()
    if (line === '' || line.startsWith('#')) continue
    if (line.startsWith('[attr]')) {
      const [name = '', ...words] = line
        .slice('[attr]'.length)
        .trim()
        .split(/[ \t\r]+/)
      if (top && NAME.test(name)) macros.set(name, settingsOf(words))
      continue
    }
    const found = split(line)
    if (!found || found.pattern.startsWith('!')) continue
    const pattern = found.pattern.replace(/\/$/, '')
    if (pattern === '') continue
    const settings = settingsOf(found.words).filter(
      ([name]) => USED_ATTRIBUTES.has(name) || macros.has(name),
    )
    if (settings.length === 0) continue
    rules.push({
      pattern: pattern.replace(/^\//, '').split('/'),
      anchored: pattern.includes('/'),
      isDirectory: pattern !== found.pattern,
      settings,
    })
    if (rules.length >= MAX_RULES) break
  }
  return { rules, macros }
}
