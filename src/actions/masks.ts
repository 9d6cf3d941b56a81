/**
 * Hides secrets in output. A secret is recognised as it is, line by line, and encoded: base64 at
 * each of its three alignments, URL-encoded, and escaped as in JSON. Of a secret that is JSON, each
 * text within is a secret too.
 *
 * Bytes are searched as they are, and rewritten only where something is found.
 */

/** Shorter values are not hidden, because they would hide what is no secret. */
export const MIN_MASK_LENGTH = 4
/** Each value costs work when it is added, also when it is refused. */
const MAX_VALUES = 500
/**
 * Each form costs a search of all output. There is room for one value of any shape, or for some 300
 * of one line.
 */
const MAX_FORMS = 3_000
const MAX_VALUE_BYTES = 65_536
const MAX_LINES_OF_VALUE = 200
const MAX_JSON_TEXTS = 100

const HIDDEN = Buffer.from('***')

/** A stretch of output that is hidden. */
type Match = { readonly start: number; readonly end: number }

/** The part of base64 that a value always has, whatever stands before and behind it. */
function base64Of(value: Buffer, alignment: 0 | 1 | 2): string {
  const text = Buffer.concat([Buffer.alloc(alignment), value]).toString('base64')
  const isWhole = (alignment + value.length) % 3 === 0
  const end = isWhole ? text.length : text.replace(/=/g, '').length - 1
  return text.slice([0, 2, 3][alignment], end)
}

/** Texts within a JSON value. */
function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (typeof value === 'number') yield String(value)
  else if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) yield* textsIn(inner)
}

function textsOfJson(value: string): string[] {
  if (!/^\s*[[{]/.test(value)) return []
  try {
    return [...textsIn(JSON.parse(value))].slice(0, MAX_JSON_TEXTS)
  } catch {
    return []
  }
}

function* formsOf(value: string): Generator<string> {
  yield value
  yield encodeURIComponent(value.toWellFormed())
  yield encodeURIComponent(value.toWellFormed()).replaceAll('%20', '+')
  yield JSON.stringify(value).slice(1, -1)
  const bytes = Buffer.from(value)
  for (const alignment of [0, 1, 2] as const) {
    const text = base64Of(bytes, alignment)
    yield text
    yield text.replaceAll('+', '-').replaceAll('/', '_')
  }
}

/** What is hidden of a value: itself, each line, and each text of JSON. */
function textsOf(value: string): string[] {
  const lines = value.split(/\r?\n/, MAX_LINES_OF_VALUE).map((line) => line.trim())
  const texts = new Set([value, value.trim(), ...lines, ...textsOfJson(value)])
  return [...texts].filter((text) => text.length >= MIN_MASK_LENGTH)
}

export class Masks {
  readonly #forms = new Map<string, Buffer>()
  #maxForms = MAX_FORMS
  #values = 0
  #longest = 0

  /** The bytes of the longest text that is hidden. */
  get longest(): number {
    return this.#longest
  }

  /**
   * Hides the secrets of the job from now on, before `add` is called. All are hidden line by line;
   * if their forms are too many, the longest are not hidden encoded.
   */
  addSecrets(values: Iterable<string>): void {
    for (const value of [...values].sort((a, b) => a.length - b.length))
      if (!this.#addForms(value)) for (const text of textsOf(value)) this.#addForm(text)
    this.#maxForms = this.#forms.size + MAX_FORMS
  }

  /** Hides a value from now on. Returns false when the job has too many or the value is too long. */
  add(value: string): boolean {
    if (value.length > MAX_VALUE_BYTES || this.#values >= MAX_VALUES) return false
    this.#values++
    return this.#addForms(value)
  }

  /** Adds all forms of a value. Returns false, and adds none, when they are too many. */
  #addForms(value: string): boolean {
    const added = new Set<string>()
    for (const text of textsOf(value))
      for (const form of formsOf(text)) {
        if (form.length < MIN_MASK_LENGTH || this.#forms.has(form)) continue
        added.add(form)
        if (this.#forms.size + added.size > this.#maxForms) return false
      }
    for (const form of added) this.#addForm(form)
    return true
  }

  #addForm(form: string): void {
    if (this.#forms.has(form)) return
    const bytes = Buffer.from(form)
    this.#forms.set(form, bytes)
    this.#longest = Math.max(this.#longest, bytes.length)
  }

  /** Whether a text contains a secret. */
  finds(text: string): boolean {
    return this.#matches(Buffer.from(text)).length > 0
  }

  maskText(text: string): string {
    return Buffer.from(this.mask(Buffer.from(text))).toString('utf8')
  }

  /** The data with `***` for each secret; the data itself when it has none. */
  mask(data: Buffer): Buffer {
    const matches = this.#matches(data)
    if (matches.length === 0) return data
    const parts: Buffer[] = []
    let from = 0
    for (const { start, end } of matches) {
      parts.push(data.subarray(from, start), HIDDEN)
      from = end
    }
    parts.push(data.subarray(from))
    return Buffer.concat(parts)
  }

  /** The first place at or behind `offset` that is in the middle of no secret. */
  cutAt(data: Buffer, offset: number): number {
    const match = this.#matches(data).find(({ start, end }) => start < offset && end > offset)
    return match ? match.end : offset
  }

  /** Where secrets are, in order; those that touch or overlap are one. */
  #matches(data: Buffer): Match[] {
    const found: Match[] = []
    for (const form of this.#forms.values())
      for (let at = data.indexOf(form); at >= 0; at = data.indexOf(form, at + form.length))
        found.push({ start: at, end: at + form.length })
    if (found.length < 2) return found
    found.sort((a, b) => a.start - b.start)
    const merged: Match[] = []
    for (const match of found) {
      const last = merged.at(-1)
      if (last && match.start < last.end)
        merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, match.end) }
      else merged.push(match)
    }
    return merged
  }
}
