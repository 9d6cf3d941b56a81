// Divides the HTML of a long document into parts, so that a page stays below 100 KB. A part ends before
// a heading where it can, else between blocks, items, rows, lines or words. It closes the elements that
// are open at its end, and the next part opens them again. The HTML is that of decorate.ts, whose tags
// are balanced.
import { unescapeHtml } from './entities.ts'

/** The HTML of one part. The rest of the page has up to 51 KB. */
export const MAX_PART_BYTES = 48_000

/** A range of the HTML. `before` opens the elements around it, and `after` closes them. */
export interface PartRange {
  readonly start: number
  readonly end: number
  readonly before: string
  readonly after: string
}

/** A heading of a document, for its contents. */
export interface DocumentHeading {
  readonly level: number
  readonly id: string
  readonly text: string
  /** The index of its part. */
  readonly part: number
}

/** An open element and those around it. Changes make a new one, because cuts keep what was open. */
interface OpenElement {
  readonly name: string
  readonly tag: string
  readonly parent: OpenElement | null
  readonly depth: number
  /** What each part with the element repeats: the head of a table, the summary of details. */
  readonly repeated: string
  /** The number of the last item of a list. */
  readonly items: number
  /** All open elements are containers. */
  readonly isContainer: boolean
  /** It should stay in one part. */
  readonly isTogether: boolean
  /** It is never cut. */
  readonly isWhole: boolean
  readonly isPre: boolean
}

/** A place where the document can be cut. */
interface Cut {
  readonly at: number
  readonly open: OpenElement | null
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))

const VOID = words('br hr img input source wbr')
/** Drawings and formulas. */
const WHOLE = words('svg math')
/** Elements between whose children a part can end. */
const CONTAINERS = words('div blockquote ul ol li dl dd details section table tbody')
/** Elements that are cut only where nothing else helps. */
const TOGETHER = words(
  'a h1 h2 h3 h4 h5 h6 summary tr thead tfoot picture ruby figure dt kbd sup sub',
)

// The kinds of cuts, from the best to the worst. Those in containers are ordered by depth.
const BEFORE_CHAPTER = 0
const BEFORE_SECTION = 1
const BETWEEN_BLOCKS = 2
const MAX_CONTAINER_DEPTH = 12
const BETWEEN_LINES = BETWEEN_BLOCKS + MAX_CONTAINER_DEPTH + 1
const BETWEEN_WORDS = BETWEEN_LINES + 1
const ANYWHERE = BETWEEN_WORDS + 1

/** How full a part must be before it ends with such a cut, as a share of its size. */
const minFill = (rank: number): number =>
  rank <= BEFORE_SECTION ? 0.5 : rank === BETWEEN_BLOCKS ? 0.25 : 0.1

/** Words and characters of a text can be cut after so many characters at the earliest. */
const WORDS_STEP = 500
const CHARACTERS_STEP = 4_000
const MAX_REPEATED_LENGTH = 2_000

/** The tags that open elements again. An item that goes on has no mark of its own. */
function openAgain(open: OpenElement | null, child: string | null = null): string {
  if (open === null) return ''
  const { name, parent, repeated, items } = open
  let tag = open.tag.replace(/ (?:id|title|start|value)="[^"]*"/g, '')
  if (name === 'li') tag = tag.replace(/^<li(?: class="[^"]*")?/, '<li class="continued"')
  if (name === 'ol' && !tag.includes(' reversed'))
    tag = tag.replace(/>$/, ` start="${child === 'li' ? items : items + 1}">`)
  return openAgain(parent, name) + tag + repeated
}

const closeAll = (open: OpenElement | null): string =>
  open === null ? '' : `</${open.name}>${closeAll(open.parent)}`

const attribute = (tag: string, name: string): string | undefined =>
  new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1]

function openElement(name: string, tag: string, parent: OpenElement | null): OpenElement {
  return {
    name,
    tag,
    parent,
    depth: (parent?.depth ?? 0) + 1,
    repeated: '',
    items: name === 'ol' ? Number(attribute(tag, 'start') ?? 1) - 1 : 0,
    isContainer: (parent?.isContainer ?? true) && CONTAINERS.has(name),
    isTogether: (parent?.isTogether ?? false) || TOGETHER.has(name),
    isWhole: (parent?.isWhole ?? false) || WHOLE.has(name),
    isPre: (parent?.isPre ?? false) || name === 'pre',
  }
}

/** The kind of a cut between two tags, before one that opens an element. */
function rankBetween(open: OpenElement | null, next: string): number {
  if (open === null)
    return /^h[12]$/.test(next)
      ? BEFORE_CHAPTER
      : /^h[3-6]$/.test(next)
        ? BEFORE_SECTION
        : BETWEEN_BLOCKS
  const isBetweenChildren =
    open.isContainer &&
    (open.name !== 'table' || next === 'tr') &&
    (open.name !== 'details' || open.repeated !== '')
  return isBetweenChildren ? BETWEEN_BLOCKS + Math.min(open.depth, MAX_CONTAINER_DEPTH) : ANYWHERE
}

/** Reads a document from one cut to the next. */
class PartReader {
  readonly #html: string
  readonly #maxBytes: number
  #open: OpenElement | null
  #bytes: number
  /** The last cut of each kind that fits. */
  readonly #cuts: ((Cut & { readonly bytes: number }) | undefined)[] = []
  /** A cut after a heading, or after the start of an element, would leave it alone. */
  #isAtStart = true
  #isAfterHeading = false
  /** The length of the text since the last place between two words. */
  #sinceWord = 0
  /** Where the last head of a table or summary began. */
  #repeatedFrom = 0

  constructor(html: string, { open }: Cut, maxBytes: number) {
    this.#html = html
    this.#maxBytes = maxBytes
    this.#open = open
    this.#bytes = openAgain(open).length
  }

  /** The end of a part that begins at a place; null when the rest of the document fits. */
  read(from: number): Cut | null {
    const tags = /<(\/?)([a-z][a-z0-9]*)(?:[^a-z0-9<>][^<>]*)?>/g
    tags.lastIndex = from
    let at = from
    for (;;) {
      const found = tags.exec(this.#html)
      this.#text(at, found?.index ?? this.#html.length)
      if (found) this.#tag(found)
      if (this.#bytes > this.#maxBytes) {
        const cut = this.#choose()
        if (cut) return cut
      }
      if (!found) return null
      at = tags.lastIndex
    }
  }

  #choose(): Cut | null {
    const isFull = (cut: { bytes: number } | undefined, rank: number) =>
      cut !== undefined && cut.bytes >= minFill(rank) * this.#maxBytes
    return this.#cuts.find(isFull) ?? this.#cuts.find((cut) => cut !== undefined) ?? null
  }

  #mayCut(rank: number, at: number): void {
    // A part that is too large ends at the first place that there is.
    if (this.#bytes > this.#maxBytes && this.#cuts.some((cut) => cut !== undefined)) return
    this.#cuts[rank] = { at, open: this.#open, bytes: this.#bytes }
  }

  #text(from: number, to: number): void {
    let at = from
    while (at < to) {
      const next = this.#nextInText(at, to)
      const text = this.#html.slice(at, next?.at ?? to)
      this.#bytes += Buffer.byteLength(text)
      this.#sinceWord += text.length
      if (text.trim() !== '') {
        this.#isAtStart = false
        if (this.#open?.isTogether !== true) this.#isAfterHeading = false
      }
      if (!next) return
      this.#mayCut(this.#open?.isTogether ? ANYWHERE : next.rank, next.at)
      this.#sinceWord = 0
      at = next.at
    }
  }

  /** The next place in a text where it may be cut. */
  #nextInText(from: number, to: number): { at: number; rank: number } | null {
    if (this.#open === null || this.#open.isWhole) return null
    const near = this.#html.slice(from, Math.min(to, from + CHARACTERS_STEP))
    const line = this.#open.isPre ? near.indexOf('\n') + 1 : 0
    if (line > 0 && from + line < to) return { at: from + line, rank: BETWEEN_LINES }
    const skipped = Math.max(0, WORDS_STEP - this.#sinceWord)
    const blank = near.slice(skipped).search(/\s/)
    const word = from + skipped + blank + 1
    if (blank >= 0 && word < to) return { at: word, rank: BETWEEN_WORDS }
    if (from + CHARACTERS_STEP >= to) return null
    return { at: this.#betweenCharacters(from + CHARACTERS_STEP), rank: ANYWHERE }
  }

  /** A place before another one that is in no entity and between no surrogates. */
  #betweenCharacters(at: number): number {
    const entity = /&[a-z0-9#]{0,8}$/i.exec(this.#html.slice(at - 10, at))
    if (entity) return at - entity[0].length
    return /[\ud800-\udbff]/.test(this.#html[at - 1] ?? '') ? at - 1 : at
  }

  #tag({ 0: tag, 1: close = '', 2: name = '', index }: RegExpExecArray): void {
    if (close === '') this.#opening(name, tag, index)
    else this.#closing(index + tag.length)
    this.#bytes += Buffer.byteLength(tag)
  }

  #opening(name: string, tag: string, index: number): void {
    if (!this.#isAtStart && this.#open?.isWhole !== true)
      this.#mayCut(this.#isAfterHeading ? ANYWHERE : rankBetween(this.#open, name), index)
    if (VOID.has(name) || tag.endsWith('/>')) {
      this.#isAtStart = false
      return
    }
    if (name === 'li' && this.#open)
      this.#open = {
        ...this.#open,
        items: Number(attribute(tag, 'value') ?? this.#open.items + 1),
      }
    if (name === 'thead' || name === 'summary') this.#repeatedFrom = index
    this.#open = openElement(name, tag, this.#open)
    this.#isAtStart = true
    this.#isAfterHeading = false
  }

  #closing(end: number): void {
    const closed = this.#open
    this.#open = closed?.parent ?? null
    this.#isAtStart = false
    if (!closed) return
    this.#isAfterHeading = /^h[1-6]$/.test(closed.name)
    const isRepeated =
      (closed.name === 'thead' && this.#open?.name === 'table') ||
      (closed.name === 'summary' && this.#open?.name === 'details')
    if (!isRepeated || !this.#open || end - this.#repeatedFrom > MAX_REPEATED_LENGTH) return
    const repeated = this.#html.slice(this.#repeatedFrom, end).replace(/ id="[^"]*"/g, '')
    this.#open = { ...this.#open, repeated }
  }
}

/** The ranges of the parts of a document, each of about so many bytes at most. */
export function* partRanges(html: string, maxBytes: number): Generator<PartRange> {
  let from: Cut | null = { at: 0, open: null }
  while (from !== null) {
    const { at: start, open } = from
    const cut: Cut | null = new PartReader(html, from, maxBytes).read(start)
    yield {
      start,
      end: cut?.at ?? html.length,
      before: openAgain(open),
      after: closeAll(cut?.open ?? null),
    }
    from = cut
  }
}

/** The HTML of a part by itself. */
export const partHtml = (html: string, { start, end, before, after }: PartRange): string =>
  before + html.slice(start, end) + after

/** Whether a part has the element with an id. */
export const hasId = (html: string, id: string): boolean =>
  html.includes(` id="${Bun.escapeHTML(id)}"`)

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Lets links to elements that a part lacks lead to the address of the part that has them. */
export function linkToParts(html: string, hrefOf: (id: string) => string): string {
  const ids = new Set([...html.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id))
  return html.replace(/ href="#([^"]+)"/g, (link, fragment: string) => {
    const id = decode(unescapeHtml(fragment))
    return ids.has(Bun.escapeHTML(id)) ? link : ` href="${Bun.escapeHTML(hrefOf(id))}#${fragment}"`
  })
}

/** HTML in parts, and the headings that lead to them. */
export interface RenderedDocument {
  readonly html: string
  /** One for a document that a page shows whole. */
  readonly ranges: readonly PartRange[]
  readonly contents: readonly DocumentHeading[]
}

/** Divides a document into parts for pages. */
export function divideDocument(html: string): RenderedDocument {
  if (Buffer.byteLength(html) <= MAX_PART_BYTES) {
    const whole = { start: 0, end: html.length, before: '', after: '' }
    return { html, ranges: [whole], contents: [] }
  }
  const ranges = [...partRanges(html, MAX_PART_BYTES)]
  return { html, ranges, contents: contentsOf(html, ranges) }
}

/** A list of contents has at most so many entries. */
const MAX_CONTENTS = 100
const MAX_ENTRY_LENGTH = 100

const HEADING = /<h([1-6])(?: [^>]*)? id="([^"]*)"[^>]*>(.*?)<\/h\1>/gs

function headingsOf(html: string, ranges: readonly PartRange[]): DocumentHeading[] {
  let part = 0
  return [...html.matchAll(HEADING)].map(({ 1: level, 2: id = '', 3: inner = '', index }) => {
    while (index >= (ranges[part]?.end ?? html.length) && part < ranges.length - 1) part++
    const text = unescapeHtml(inner.replace(/<[^<>]*>/g, '')).trim()
    return {
      level: Number(level),
      id: unescapeHtml(id),
      text: text.length > MAX_ENTRY_LENGTH ? `${text.slice(0, MAX_ENTRY_LENGTH)}…` : text,
      part,
    }
  })
}

/**
 * The contents of a document: the headings of as many levels as fit, else the first one of each part.
 */
function contentsOf(html: string, ranges: readonly PartRange[]): DocumentHeading[] {
  const headings = headingsOf(html, ranges).filter(({ text }) => text !== '')
  for (let deepest = 6; deepest >= 1; deepest--) {
    const found = headings.filter(({ level }) => level <= deepest)
    if (found.length > 0 && found.length <= MAX_CONTENTS) return found
    if (found.length === 0) break
  }
  const firsts = headings.filter(({ part }, index) => headings[index - 1]?.part !== part)
  return firsts.length <= MAX_CONTENTS ? firsts : []
}
