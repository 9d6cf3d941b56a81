/**
 * Reads a Dockerfile into instructions, as BuildKit does (its package `frontend/dockerfile/parser`):
 * directives, comments, lines that go on, and documents within instructions.
 */
import { DockerfileFault } from './fault.ts'
import { expandWords } from './words.ts'

export const MAX_FILE_BYTES = 256 * 1024
const MAX_INSTRUCTIONS = 500

/** A document within an instruction (`<<EOF`). */
export type Heredoc = {
  readonly name: string
  /** Whether variables in it are replaced. */
  readonly isExpanded: boolean
  readonly content: string
}

export type Instruction = {
  /** In capital letters. */
  readonly name: string
  readonly line: number
  /** Words that begin with `--`, without quotes. */
  readonly flags: readonly string[]
  /** What follows, in one line. */
  readonly rest: string
  readonly heredocs: readonly Heredoc[]
}

export type ParsedLines = {
  readonly instructions: readonly Instruction[]
  /** The character that takes the meaning of the next one. */
  readonly escape: string
}

const WITH_HEREDOCS = new Set(['ADD', 'COPY', 'RUN'])
const BLANK = /^[\t\v\f\r ]$/
const isSpace = (char: string): boolean => /\s/.test(char)

/** The index of the first character from `at` on that is, or is not, one of a kind. */
function indexFrom(text: string, at: number, isFound: (char: string) => boolean): number {
  let index = at
  while (index < text.length && !isFound(text[index] ?? '')) index++
  return index
}

/** The words that begin with `--`, without their quotes, and what follows them. */
function splitFlags(text: string): { readonly flags: string[]; readonly rest: string } {
  const flags: string[] = []
  let at = 0
  for (;;) {
    at = indexFrom(text, at, (char) => !isSpace(char))
    if (!text.startsWith('--', at)) return { flags, rest: text.slice(at).trim() }
    let word = ''
    let quote = ''
    for (; at < text.length; at++) {
      const char = text[at] ?? ''
      if (quote === '' && isSpace(char)) break
      if (char === '\\') word += text[++at] ?? ''
      else if (char === quote) quote = ''
      else if (quote === '' && (char === '"' || char === "'")) quote = char
      else word += char
    }
    if (word === '--') return { flags, rest: text.slice(at).trim() }
    flags.push(word)
  }
}

/** Splits the first word of a line off. */
export function splitInstruction(
  text: string,
  line: number,
): Pick<Instruction, 'name' | 'line' | 'flags' | 'rest'> {
  const clean = text.trim()
  const end = indexFrom(clean, 0, (char) => BLANK.test(char))
  return { name: clean.slice(0, end).toUpperCase(), line, ...splitFlags(clean.slice(end)) }
}

type Announced = {
  readonly name: string
  readonly isExpanded: boolean
  readonly isIndented: boolean
}

const countQuotes = (text: string): number => [...text].filter((one) => `'"`.includes(one)).length

/** The document that a word announces; null for another word. */
export function heredocOf(word: string): Announced | null {
  const [, dash, name = ''] = /^\d*<<(-?)([^<]+)$/.exec(word) ?? []
  if (name === '') return null
  const rules = { lookup: () => undefined, escape: '\\', keepsUnset: true }
  const words = expandWords(name, rules)
  const [raw = ''] = expandWords(name, { ...rules, keepsQuotes: true })
  const [first] = words
  if (first === undefined || words.length !== 1) return null
  return {
    name: first,
    isExpanded: countQuotes(first) === countQuotes(raw),
    isIndented: dash === '-',
  }
}

function heredocsOf(text: string): Announced[] {
  const rules = { lookup: () => undefined, escape: '\\', keepsUnset: true }
  const raw = { ...rules, keepsQuotes: true, keepsEscapes: true }
  try {
    return expandWords(text, raw).flatMap((word) => heredocOf(word) ?? [])
  } catch {
    // A quote that is missing here may be right in the language of the instruction.
    return []
  }
}

const isComment = (line: string): boolean => line.trimStart().startsWith('#')

class LineReader {
  readonly #lines: readonly string[]
  #at = 0
  #escape = '\\'
  #directives: Set<string> | null = new Set()

  constructor(text: string) {
    const lines = text.replace(/^\uFEFF/, '').split('\n')
    this.#lines = lines.at(-1) === '' ? lines.slice(0, -1) : lines
  }

  read(): ParsedLines {
    const instructions: Instruction[] = []
    while (this.#at < this.#lines.length) {
      const found = this.#readOne()
      if (found === null) continue
      instructions.push(found)
      if (instructions.length > MAX_INSTRUCTIONS)
        throw new DockerfileFault(`it has more than ${MAX_INSTRUCTIONS} instructions`)
    }
    return { instructions, escape: this.#escape }
  }

  #next(): string {
    return (this.#lines[this.#at++] ?? '').replace(/\r$/, '')
  }

  #readOne(): Instruction | null {
    const line = this.#at + 1
    const first = this.#next().trimStart()
    this.#readDirective(first, line)
    let { text, goesOn } = this.#continued(isComment(first) ? '' : first)
    if (!goesOn && text === '') return null
    while (goesOn && this.#at < this.#lines.length) {
      const next = this.#next()
      if (isComment(next) || next.trim() === '') continue
      const more = this.#continued(next)
      text += more.text
      goesOn = more.goesOn
    }
    const instruction = splitInstruction(text, line)
    if (instruction.name === '') return null
    return { ...instruction, heredocs: this.#heredocs(instruction, text) }
  }

  /** Takes the character away by which a line goes on in the next one. */
  #continued(line: string): { readonly text: string; readonly goesOn: boolean } {
    const clean = line.replace(/[ \t]{1,1000}$/, '')
    const before = clean.at(-2)
    if (!clean.endsWith(this.#escape) || before === this.#escape)
      return { text: line, goesOn: false }
    return { text: clean.slice(0, -1), goesOn: true }
  }

  #readDirective(text: string, line: number): void {
    if (this.#directives === null) return
    const [, word = '', value = ''] = /^#\s*([a-z][a-z0-9]*)\s*=(.*)$/i.exec(text) ?? []
    const name = word.toLowerCase()
    if (!['escape', 'syntax', 'check'].includes(name)) {
      this.#directives = null
      return
    }
    if (this.#directives.has(name))
      throw new DockerfileFault(`the directive ${name} stands twice`, line)
    this.#directives.add(name)
    const given = value.trim()
    if (name !== 'escape') return
    if (given !== '\\' && given !== '`')
      throw new DockerfileFault('the directive escape has a backslash or a backquote', line)
    this.#escape = given
  }

  #heredocs({ name, line, rest }: { name: string; line: number; rest: string }, text: string) {
    const [inner = ''] = name === 'ONBUILD' ? rest.split(/\s/, 1) : [name]
    if (!WITH_HEREDOCS.has(inner.toUpperCase())) return []
    return heredocsOf(text).map((announced): Heredoc => {
      let content = ''
      while (this.#at < this.#lines.length) {
        const raw = this.#lines[this.#at++] ?? ''
        const own = announced.isIndented ? raw.replace(/^\t+/, '') : raw
        if (own.replace('\r', '') === announced.name)
          return { name: announced.name, isExpanded: announced.isExpanded, content }
        content += `${own}\n`
      }
      throw new DockerfileFault(`${announced.name} of the document is missing`, line)
    })
  }
}

/** Throws a DockerfileFault. */
export function parseLines(text: string): ParsedLines {
  if (Buffer.byteLength(text) > MAX_FILE_BYTES)
    throw new DockerfileFault(`it has more than ${MAX_FILE_BYTES} bytes`)
  return new LineReader(text).read()
}
