/**
 * What is taken out of a Markdown text before it is parsed: footnotes and formulas, which the parser
 * does not know. A formula leaves a mark of two private characters, which no other text can hold.
 * One pass over the lines; text in code is left alone.
 */

export type Formula = { readonly tex: string; readonly display: boolean; readonly source: string }

export type PreparedSource = {
  readonly text: string
  /** The texts of footnotes by their names. */
  readonly footnotes: ReadonlyMap<string, string>
  readonly formulas: readonly Formula[]
}

const MARK_START = '\uE000'
const MARK_END = '\uE001'
/** The marks of formulas in a text. */
export const FORMULA_MARK = /\uE000(\d{1,4})\uE001/g

const MAX_FOOTNOTES = 200
const MAX_FORMULAS = 500
const MAX_TEX_LENGTH = 4_000

const FENCE = /^ {0,3}(`{3,}|~{3,})/
const FOOTNOTE = /^ {0,3}\[\^([\w-]{1,50})\]:(.*)$/

class SourceReader {
  readonly footnotes = new Map<string, string>()
  readonly formulas: Formula[] = []
  readonly #lines: string[]
  readonly #out: string[] = []
  /** Lines outside of code that are not searched for formulas yet. */
  #prose: string[] = []
  #at = 0

  constructor(text: string) {
    this.#lines = text.replace(/[\uE000\uE001]/g, '').split('\n')
  }

  run(): PreparedSource {
    while (this.#at < this.#lines.length) {
      const line = this.#lines[this.#at] ?? ''
      const fence = FENCE.exec(line)?.[1]
      if (fence !== undefined) this.#fenced(fence)
      else if (!this.#footnote(line)) {
        this.#prose.push(line)
        this.#at++
      }
    }
    this.#flush()
    return { text: this.#out.join('\n'), footnotes: this.footnotes, formulas: this.formulas }
  }

  #flush(): void {
    if (this.#prose.length > 0) this.#out.push(this.#markFormulas(this.#prose.join('\n')))
    this.#prose = []
  }

  /** Copies a fenced block up to its end. */
  #fenced(fence: string): void {
    this.#flush()
    const char = fence[0] ?? ''
    this.#out.push(this.#lines[this.#at++] ?? '')
    while (this.#at < this.#lines.length) {
      const line = this.#lines[this.#at++] ?? ''
      this.#out.push(line)
      const end = FENCE.exec(line)?.[1]
      if (end?.startsWith(char) && end.length >= fence.length && line.trim() === end) return
    }
  }

  /** Takes a footnote with the indented lines that follow it. */
  #footnote(line: string): boolean {
    const [, name, first = ''] = FOOTNOTE.exec(line) ?? []
    if (name === undefined || this.footnotes.size >= MAX_FOOTNOTES) return false
    const text = [first.trim()]
    this.#at++
    for (; this.#at < this.#lines.length; this.#at++) {
      const next = this.#lines[this.#at] ?? ''
      const isBlank = next.trim() === ''
      const follows = isBlank && /^(?: {4}|\t)/.test(this.#lines[this.#at + 1] ?? '')
      if (!/^(?: {4}|\t)/.test(next) && !follows) break
      text.push(next.replace(/^(?: {4}|\t)/, ''))
    }
    if (!this.footnotes.has(name)) this.footnotes.set(name, text.join('\n'))
    this.#prose.push('')
    return true
  }

  /** Puts marks in place of `$x$` and `$$x$$` outside of code spans. */
  #markFormulas(text: string): string {
    if (!text.includes('$')) return text
    let out = ''
    let copied = 0
    /** Lengths of runs of backticks that do not come again. */
    const unclosed = new Set<number>()
    const sign = /\\.|`+|\$+/gs
    for (let match = sign.exec(text); match; match = sign.exec(text)) {
      const [run] = match
      if (run.startsWith('`')) {
        const end = unclosed.has(run.length) ? -1 : endOfCode(text, sign.lastIndex, run.length)
        if (end === -1) unclosed.add(run.length)
        else sign.lastIndex = end
        continue
      }
      if (!run.startsWith('$') || run.length > 2) continue
      const end = endOfFormula(text, match.index, run)
      if (end === -1 || this.formulas.length >= MAX_FORMULAS) continue
      const source = text.slice(match.index, end)
      const tex = source.slice(run.length, -run.length).replace(/^`([^]*)`$/, '$1')
      out += `${text.slice(copied, match.index)}${MARK_START}${this.formulas.length}${MARK_END}`
      this.formulas.push({ tex: tex.trim(), display: run.length === 2, source })
      copied = end
      sign.lastIndex = end
    }
    return out + text.slice(copied)
  }
}

/** Where a code span ends that began with so many backticks; -1 without an end. */
function endOfCode(text: string, from: number, length: number): number {
  const runs = /`+/g
  runs.lastIndex = from
  for (let match = runs.exec(text); match; match = runs.exec(text))
    if (match[0].length === length) return runs.lastIndex
  return -1
}

/**
 * Where a formula ends. An inline one has no space inside of its signs, no empty line, and no digit
 * after it, so that prices stay prices.
 */
function endOfFormula(text: string, start: number, run: string): number {
  const from = start + run.length
  const limit = Math.min(text.length, from + MAX_TEX_LENGTH)
  if (run === '$$') {
    const end = text.slice(from, limit).indexOf('$$')
    return end < 1 ? -1 : from + end + 2
  }
  if (/\s/.test(text[from] ?? ' ') || /[\w$]/.test(text[start - 1] ?? ' ')) return -1
  for (let at = from; at < limit; at++) {
    const char = text[at]
    if (char === '\\') at++
    else if (char === '\n' && /^\n[ \t]*\n/.test(text.slice(at, at + 100))) return -1
    else if (char === '$')
      return at > from && !/\s/.test(text[at - 1] ?? '') && !/[\d$]/.test(text[at + 1] ?? '')
        ? at + 1
        : -1
  }
  return -1
}

export const prepareSource = (text: string): PreparedSource =>
  /\$|\[\^|[\uE000\uE001]/.test(text)
    ? new SourceReader(text).run()
    : { text, footnotes: new Map(), formulas: [] }
