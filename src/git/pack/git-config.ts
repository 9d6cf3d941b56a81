/**
 * Parses git's configuration syntax (https://git-scm.com/docs/git-config, "Syntax") as git's
 * config.c does. `.gitmodules` is such a file. The text holds one byte in each character.
 */

/** One setting as git passes it to its callbacks. */
export type ConfigEntry = {
  /** The section in lower case, the subsection as written and the key, joined by dots. */
  readonly name: string
  /** Null for a key without `=`. */
  readonly value: string | null
}

const BOM = '\xef\xbb\xbf'
const isKeyChar = (char: string): boolean => /^[A-Za-z0-9-]$/.test(char)
const isLetter = (char: string): boolean => /^[A-Za-z]$/.test(char)
/** Git's `isspace`, which excludes vertical tabs and form feeds. */
const isSpace = (char: string): boolean =>
  char === ' ' || char === '\t' || char === '\n' || char === '\r'

/** Git passes C strings on, which end at the first NUL. */
const cString = (text: string): string => {
  const nul = text.indexOf('\0')
  return nul < 0 ? text : text.slice(0, nul)
}

/** Yields the settings up to the end of the text or up to the first syntax error, as git does. */
export function* parseConfig(text: string): Generator<ConfigEntry> {
  yield* new ConfigParser(text).entries()
}

class ConfigParser {
  private at = 0
  /** Whether the end of the text was read. Git reads it as line feeds. */
  private ended = false

  constructor(private readonly text: string) {}

  *entries(): Generator<ConfigEntry> {
    if (this.text.startsWith(BOM)) this.at = BOM.length
    let section = ''
    let isComment = false
    for (;;) {
      const char = this.next()
      if (char === '\n') {
        if (this.ended) return
        isComment = false
      } else if (isComment || isSpace(char)) continue
      else if (char === '#' || char === ';') isComment = true
      else if (char === '[') {
        const name = this.section()
        if (name === null) return
        section = `${name}.`
      } else if (isLetter(char)) {
        const entry = this.entry(section, char)
        if (entry === null) return
        yield entry
      } else return
    }
  }

  /** Returns the next character, and a line feed for CR LF and at the end (`get_next_char`). */
  private next(): string {
    const char = this.text[this.at]
    if (char === undefined) {
      this.ended = true
      return '\n'
    }
    this.at++
    if (char !== '\r') return char
    if (this.text[this.at] === '\n') this.at++
    else return char
    return '\n'
  }

  /** Returns the name in a section header; null for a syntax error (`get_base_var`). */
  private section(): string | null {
    let name = ''
    for (;;) {
      const char = this.next()
      if (this.ended) return null
      if (char === ']') return name
      if (isSpace(char)) {
        const subsection = this.subsection(char)
        return subsection === null ? null : `${name}.${subsection}`
      }
      if (!isKeyChar(char) && char !== '.') return null
      name += char.toLowerCase()
    }
  }

  /** Returns the subsection in `[section "subsection"]` (`get_extended_base_var`). */
  private subsection(space: string): string | null {
    let char = space
    while (isSpace(char)) {
      if (char === '\n') return null
      char = this.next()
    }
    if (char !== '"') return null
    const parts: string[] = []
    for (;;) {
      char = this.next()
      if (char === '"') break
      if (char === '\\') char = this.next()
      if (char === '\n') return null
      parts.push(char)
    }
    return this.next() === ']' ? parts.join('') : null
  }

  /** Returns the setting whose key begins with `first` (`get_value`). */
  private entry(section: string, first: string): ConfigEntry | null {
    let key = first.toLowerCase()
    let char = this.next()
    for (; !this.ended && isKeyChar(char); char = this.next()) key += char.toLowerCase()
    while (char === ' ' || char === '\t') char = this.next()
    const name = cString(section + key)
    if (char === '\n') return { name, value: null }
    const value = char === '=' ? this.value() : null
    return value === null ? null : { name, value: cString(value) }
  }

  /** Returns the value after `=`; null for a syntax error (`parse_value`). */
  private value(): string | null {
    const parts: string[] = []
    let isQuoted = false
    let isComment = false
    /** White space that is part of the value only when more text follows. */
    let spaces = ''
    for (;;) {
      let char = this.next()
      if (char === '\n') return isQuoted ? null : parts.join('')
      if (isComment) continue
      if (isSpace(char) && !isQuoted) {
        if (parts.length > 0) spaces += ' '
        continue
      }
      if (!isQuoted && (char === ';' || char === '#')) {
        isComment = true
        continue
      }
      if (spaces !== '') parts.push(spaces)
      spaces = ''
      if (char === '"') {
        isQuoted = !isQuoted
        continue
      }
      if (char === '\\') {
        char = this.next()
        if (char === '\n') continue
        const escaped = ESCAPES.get(char)
        if (escaped === undefined) return null
        char = escaped
      }
      parts.push(char)
    }
  }
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['t', '\t'],
  ['b', '\b'],
  ['n', '\n'],
  ['\\', '\\'],
  ['"', '"'],
])
