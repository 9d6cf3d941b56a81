/**
 * Words of a Dockerfile: quotes, escapes and variables, by the rules of BuildKit (its package
 * `frontend/dockerfile/shell`). A word that grows beyond `MAX_WORD_LENGTH` is refused, because
 * variables that contain variables double with every line.
 */

export const MAX_WORD_LENGTH = 64 * 1024
/** Of substitutions within substitutions. */
const MAX_DEPTH = 50

/** The value of a variable; undefined for one that is not set. */
export type Lookup = (name: string) => string | undefined

export type WordRules = {
  readonly lookup: Lookup
  /** The character that takes the meaning of the next one. */
  readonly escape: string
  /** Whether quotes, escapes, or variables that are not set stay as they are written. */
  readonly keepsQuotes?: boolean
  readonly keepsEscapes?: boolean
  readonly keepsUnset?: boolean
  /** Whether quotes are characters as others. */
  readonly ignoresQuotes?: boolean
}

const SPACE = /\s/
const LETTER = /[\p{L}\p{Nd}_]/u
const DIGIT = /\p{Nd}/u
/** Parameters of shells, which are never set here. */
const SPECIAL = '@*#?-$!0'

/** What a text stands for as one word, and as several where spaces are not quoted. */
type Expanded = { readonly word: string; readonly words: readonly string[] }

class Words {
  readonly #all: string[] = []
  #word = ''
  #isIn = false

  addQuoted(text: string): void {
    this.#word += text
    this.#isIn = true
  }

  add(text: string): void {
    for (const char of text) {
      if (!SPACE.test(char)) this.addQuoted(char)
      else if (this.#isIn && this.#word !== '') {
        this.#all.push(this.#word)
        this.#word = ''
        this.#isIn = false
      }
    }
  }

  end(): readonly string[] {
    if (this.#word !== '') this.#all.push(this.#word)
    this.#word = ''
    return this.#all
  }
}

class WordReader {
  readonly #chars: readonly string[]
  #at = 0
  #keepsEscapes: boolean
  #depth = 0

  constructor(
    private readonly text: string,
    private readonly rules: WordRules,
  ) {
    this.#chars = [...text]
    this.#keepsEscapes = rules.keepsEscapes ?? false
  }

  read(): Expanded {
    return this.#until(null, this.#keepsEscapes)
  }

  #fault(what: string): Error {
    return new Error(`${what} in ${JSON.stringify(this.text.slice(0, 200))}`)
  }

  #next(): string | undefined {
    return this.#chars[this.#at++]
  }

  get #peeked(): string | undefined {
    return this.#chars[this.#at]
  }

  #require(text: string): string {
    if (text.length > MAX_WORD_LENGTH)
      throw new Error(`a value is longer than ${MAX_WORD_LENGTH} characters`)
    return text
  }

  /** Reads to a character that is not quoted; null for the end of the text. */
  #until(stop: string | null, keepsEscapes: boolean): Expanded {
    if (++this.#depth > MAX_DEPTH) throw this.#fault('too many substitutions')
    const before = this.#keepsEscapes
    this.#keepsEscapes = keepsEscapes
    let word = ''
    const words = new Words()
    for (let char = this.#peeked; char !== undefined; char = this.#peeked) {
      if (char === stop) break
      const found = this.#special(char)
      if (found === null) {
        const plain = this.#plain()
        word += plain.text
        if (plain.isEscaped) words.addQuoted(plain.text)
        else words.add(plain.text)
      } else {
        word += found
        if (char === '$') words.add(found)
        else words.addQuoted(found)
      }
      this.#require(word)
    }
    if (stop !== null && this.#next() !== stop) throw this.#fault(`${stop} is missing`)
    this.#depth--
    this.#keepsEscapes = before
    return { word, words: words.end() }
  }

  /** What a quote or a variable stands for; null for other characters. */
  #special(char: string): string | null {
    if (char === '$') return this.#variable()
    if (this.rules.ignoresQuotes) return null
    if (char === "'") return this.#single()
    return char === '"' ? this.#double() : null
  }

  #plain(): { readonly text: string; readonly isEscaped: boolean } {
    const char = this.#next() ?? ''
    if (char !== this.rules.escape) return { text: char, isEscaped: false }
    const kept = this.#keepsEscapes ? char : ''
    return { text: kept + (this.#next() ?? ''), isEscaped: true }
  }

  #quoted(quote: string, text: string): string {
    return this.rules.keepsQuotes ? quote + text + quote : text
  }

  #single(): string {
    const begin = ++this.#at
    const end = this.#chars.indexOf("'", begin)
    if (end < 0) throw this.#fault('a single quote is missing')
    this.#at = end + 1
    return this.#quoted("'", this.#chars.slice(begin, end).join(''))
  }

  #double(): string {
    this.#at++
    let text = ''
    for (;;) {
      const char = this.#peeked
      if (char === undefined) throw this.#fault('a double quote is missing')
      if (char === '$') text += this.#variable()
      else {
        this.#at++
        if (char === '"') return this.#quoted('"', text)
        text += char === this.rules.escape ? this.#escapedInQuotes() : char
      }
      this.#require(text)
    }
  }

  /** After an escape within double quotes, which has a meaning before few characters only. */
  #escapedInQuotes(): string {
    const { escape } = this.rules
    const kept = this.#keepsEscapes ? escape : ''
    const next = this.#peeked
    if (next === undefined) return kept
    if (next !== '"' && next !== '$' && next !== escape) return kept + escape
    this.#at++
    return kept + next
  }

  #name(): string {
    const first = this.#peeked ?? ''
    if (first !== '' && SPECIAL.includes(first) && !DIGIT.test(first)) {
      this.#at++
      return first
    }
    const allowed = DIGIT.test(first) ? DIGIT : LETTER
    let name = ''
    for (let char = this.#peeked; char !== undefined && allowed.test(char); char = this.#peeked) {
      name += char
      this.#at++
    }
    return name
  }

  #variable(): string {
    this.#at++
    if (this.#peeked === '{') return this.#braced()
    const name = this.#name()
    if (name === '') return '$'
    return this.rules.lookup(name) ?? (this.rules.keepsUnset ? `$${name}` : '')
  }

  #braced(): string {
    this.#at++
    const first = this.#peeked
    if (first === undefined) throw this.#fault('} is missing')
    if (first === '{' || first === '}' || first === ':') throw this.#fault('a name is missing')
    const name = this.#name()
    const sign = this.#next() ?? ''
    const value = this.rules.lookup(name)
    if (sign === '}') return value ?? (this.rules.keepsUnset ? `\${${name}}` : '')
    const ignoresEmpty = sign === ':'
    const operator = ignoresEmpty ? (this.#next() ?? '') : sign
    if (!'+-?'.includes(operator) || operator === '')
      throw this.#fault(
        `the operator ${JSON.stringify(operator)} of a substitution is not known here (-, + and ? are)`,
      )
    const { word } = this.#until('}', false)
    if (this.rules.keepsUnset && value === undefined)
      return `\${${name}${ignoresEmpty ? ':' : ''}${operator}${word}}`
    const isSet = value !== undefined && !(ignoresEmpty && value === '')
    if (operator === '+') return isSet ? word : ''
    if (isSet) return value
    if (operator === '-') return word
    const lacks = value === undefined ? 'is not set' : 'is empty'
    throw new Error(`the variable ${name} ${word || lacks}`)
  }
}

/** What a text stands for, as one word. Throws an Error for one line of its author. */
export const expandWord = (text: string, rules: WordRules): string =>
  new WordReader(text, rules).read().word

/** What a text stands for, in words. */
export const expandWords = (text: string, rules: WordRules): readonly string[] =>
  new WordReader(text, rules).read().words

/** Words that spaces part, with their quotes and escapes. */
export function splitWords(text: string, escape: string): string[] {
  const words: string[] = []
  let word = ''
  let isIn = false
  let quote = ''
  const chars = [...text]
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at] ?? ''
    if (quote === '' && SPACE.test(char)) {
      if (isIn) words.push(word)
      word = ''
      isIn = false
      continue
    }
    if (char === escape && quote !== "'") {
      // One at the end means nothing.
      if (at + 1 === chars.length) break
      word += char + (chars[++at] ?? '')
      isIn = true
      continue
    }
    isIn = true
    word += char
    if (char === quote) quote = ''
    else if (quote === '' && (char === '"' || char === "'")) quote = char
  }
  if (isIn && word !== '') words.push(word)
  return words
}
