/**
 * Reads XML 1.0 documents that strangers wrote, in time proportional to their length. A document
 * type is refused: it could define entities that grow, or name files to read. Names lose their
 * namespace prefix.
 */

export type XmlElement = {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly children: readonly XmlElement[]
  /** Its own text, without that of its children. */
  readonly text: string
}

type Builder = XmlElement & { readonly children: XmlElement[]; text: string }

const MAX_XML_LENGTH = 1024 ** 2
const MAX_ELEMENTS = 20_000
const MAX_DEPTH = 64
const MAX_ATTRIBUTES = 100

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
}

class XmlError extends Error {}

const NAME = /[A-Za-z_:\u00c0-\uffff][\w:.\-\u00b7-\uffff]*/y
const VALUE = /"([^"<]*)"|'([^'<]*)'/y
const SPACE = /\s*/y
const ENTITY = /&(?:#(\d{1,7})|#x([\dA-Fa-f]{1,6})|([a-z]{2,4}));|&/g
const DECLARED_ENCODING = /^<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([\w.-]{1,40})["']/

const characterOf = (code: number): string => {
  if (code < 1 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
    throw new XmlError('a character reference names no character')
  return String.fromCodePoint(code)
}

const decodeText = (text: string): string =>
  text.includes('&')
    ? text.replace(ENTITY, (_, decimal?: string, hex?: string, name?: string) => {
        if (decimal !== undefined) return characterOf(Number(decimal))
        if (hex !== undefined) return characterOf(Number.parseInt(hex, 16))
        const character = name === undefined ? undefined : NAMED[name]
        if (character === undefined) throw new XmlError('it uses an entity that is not defined')
        return character
      })
    : text

const localName = (name: string): string => name.slice(name.lastIndexOf(':') + 1)

class XmlParser {
  #at = 0
  #elements = 0
  readonly #open: Builder[] = []
  #root: Builder | null = null

  constructor(private readonly source: string) {}

  parse(): XmlElement {
    while (this.#at < this.source.length) this.#step()
    if (!this.#root || this.#open.length > 0) throw new XmlError('it ends early')
    return this.#root
  }

  #step(): void {
    const { source } = this
    if (source[this.#at] !== '<') this.#addText(decodeText(this.#takeUntil('<', true)))
    else if (source.startsWith('<!--', this.#at)) this.#skipPast('-->')
    else if (source.startsWith('<![CDATA[', this.#at)) {
      this.#at += 9
      this.#addText(this.#takeUntil(']]>'))
      this.#at += 3
    } else if (source.startsWith('<?', this.#at)) this.#skipPast('?>')
    else if (source.startsWith('<!', this.#at)) throw new XmlError('it has a document type')
    else if (source.startsWith('</', this.#at)) this.#closeElement()
    else this.#openElement()
  }

  #takeUntil(end: string, mayEnd = false): string {
    const found = this.source.indexOf(end, this.#at)
    if (found < 0 && !mayEnd) throw new XmlError('it ends early')
    const text = this.source.slice(this.#at, found < 0 ? undefined : found)
    this.#at += text.length
    return text
  }

  #skipPast(end: string): void {
    this.#takeUntil(end)
    this.#at += end.length
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const match = pattern.exec(this.source)
    if (match) this.#at = pattern.lastIndex
    return match
  }

  /** Passes a text that is next. */
  #skip(text: string): boolean {
    if (!this.source.startsWith(text, this.#at)) return false
    this.#at += text.length
    return true
  }

  /** Reads up to the end of the tag, or to what is no attribute. */
  #readAttributes(): ReadonlyMap<string, string> {
    const attributes = new Map<string, string>()
    for (;;) {
      this.#match(SPACE)
      const name = this.#match(NAME)?.[0]
      if (name === undefined) return attributes
      if (attributes.size >= MAX_ATTRIBUTES) throw new XmlError('a tag has too many attributes')
      this.#match(SPACE)
      const hasValue = this.#skip('=')
      this.#match(SPACE)
      const value = hasValue ? this.#match(VALUE) : null
      if (!value) throw new XmlError('an attribute has no value')
      attributes.set(localName(name), decodeText(value[1] ?? value[2] ?? ''))
    }
  }

  #addText(text: string): void {
    const element = this.#open.at(-1)
    if (element) element.text += text
    else if (text.trim() !== '') throw new XmlError('it has text outside of its root')
  }

  #openElement(): void {
    this.#at++
    const name = this.#match(NAME)?.[0]
    if (name === undefined) throw new XmlError('a tag has no name')
    if (++this.#elements > MAX_ELEMENTS) throw new XmlError('it has too many elements')
    const attributes = this.#readAttributes()
    const isEmpty = this.#skip('/')
    if (!this.#skip('>')) throw new XmlError(`the tag ${name.slice(0, 80)} is not closed`)
    const element: Builder = { name: localName(name), attributes, children: [], text: '' }
    const parent = this.#open.at(-1)
    if (parent) parent.children.push(element)
    else if (this.#root) throw new XmlError('it has two roots')
    else this.#root = element
    if (isEmpty) return
    if (this.#open.length >= MAX_DEPTH) throw new XmlError('it is nested too deeply')
    this.#open.push(element)
  }

  #closeElement(): void {
    this.#at += 2
    const name = this.#match(NAME)?.[0]
    const element = this.#open.pop()
    this.#match(SPACE)
    if (name === undefined || element?.name !== localName(name) || !this.#skip('>'))
      throw new XmlError(`the end of ${name?.slice(0, 80) ?? 'a tag'} has no beginning`)
  }
}

/** The root, or the reason why the text cannot be read. */
export function parseXml(text: string): XmlElement | string {
  if (text.length > MAX_XML_LENGTH) return 'it is larger than 1 MiB'
  try {
    return new XmlParser(text.replace(/^\uFEFF/, '')).parse()
  } catch (error) {
    if (error instanceof XmlError) return error.message
    throw error
  }
}

function encodingOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  const start = Buffer.from(bytes.subarray(0, 300)).toString('latin1')
  return DECLARED_ENCODING.exec(start)?.[1] ?? 'utf-8'
}

/** The text of a document in the encoding that its first bytes declare. */
export function decodeXml(bytes: Uint8Array): string {
  try {
    return new TextDecoder(encodingOf(bytes)).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

export const xmlChild = (element: XmlElement, name: string): XmlElement | undefined =>
  element.children.find((child) => child.name === name)

/** The trimmed text of a child; null when it is missing or empty. */
export const xmlText = (element: XmlElement, name: string): string | null =>
  xmlChild(element, name)?.text.trim() || null
