// Adds to a cleaned document what its Markdown stands for on this site: highlighted code, anchors of
// headings, alerts, links of references. It reads the output of clean.ts, whose form is known
// (balanced tags; every `<`, `>` and `&` of text is escaped), and adds only its own markup.
import { icons, type IconName } from '../../assets/icons.ts'
import { grammarOfWord, highlightLines } from '../highlight.ts'
import { ID_PREFIX } from './addresses.ts'
import { replaceEmoji } from './emoji.ts'
import { unescapeHtml } from './entities.ts'
import type { Footnotes } from './footnotes.ts'
import { applyImagePolicy, leavesSite, type ImagePolicy } from './images.ts'
import { linkReferences, shortForm, type LinkContext } from './references.ts'
import { FORMULA_MARK, type Formula } from './source.ts'
import { localized, t } from '../text.ts'

const ALERT_STYLES: Record<string, { icon: IconName; word: string }> = localized({
  note: { icon: 'info', word: 'Note' },
  tip: { icon: 'tip', word: 'Tip' },
  important: { icon: 'important', word: 'Important' },
  warning: { icon: 'warning', word: 'Warning' },
  caution: { icon: 'caution', word: 'Caution' },
})

const icon = (name: IconName): string =>
  `<svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d="${icons[name]}"></path></svg>`

/** The name a heading is linked by: its words in lower case, joined by hyphens. */
const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .trim()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')
    .slice(0, 100) || 'section'

const codeBlock = /<pre><code(?: class="language-([^"]*)")?>([^<]*)<\/code><\/pre>/y
const alertStart =
  /<blockquote>\s*<p>\s*\[!(note|tip|important|warning|caution)\][ \t]*(\n|<br \/>|(?=<\/p>))/iy
const token = /<(\/?)([a-z][a-z0-9]*)((?:[^a-z0-9>][^>]*)?)>|[^<]+|</y

/** Elements in whose text neither references nor line ends become markup. */
const VERBATIM = new Set(['a', 'code', 'pre', 'kbd', 'samp', 'tt'])

const DIAGRAM_FRAME = '/-/diagram'

/** The browser script draws diagrams (`client/diagrams.ts`). Without it their source is shown. */
const diagramSource = (block: string): string =>
  `<figure class="diagram" data-diagram="${DIAGRAM_FRAME}"><details open><summary>${Bun.escapeHTML(t('Mermaid source'))}</summary>${block}</details></figure>`

interface Heading {
  /** Where its opening tag is in the output. */
  at: number
  text: string
  /** The document gave it an id itself. */
  ownId: boolean
}

interface Tag {
  whole: string
  name: string
  opening: boolean
  attributes: string
}

/** What a document has beside its HTML. */
export type DocumentParts = {
  readonly context: LinkContext | undefined
  /** Whether line ends inside paragraphs become breaks. */
  readonly breaks: boolean
  readonly images: ImagePolicy
  readonly footnotes: Footnotes
  readonly formulas: readonly Formula[]
  /** Null without a renderer for formulas, and for those that are not understood. */
  readonly renderMath: (tex: string, display: boolean) => string | null
  /** Whether checkboxes of tasks can be ticked. */
  readonly tasks: boolean
}

const FOOTNOTE_MARK = /\[\^([\w-]{1,50})\]/g

/** One pass over a clean document, which writes the decorated one. */
class Decorator {
  readonly #html: string
  readonly #parts: DocumentParts
  readonly #context: LinkContext | undefined
  readonly #out: string[] = []
  /** How often each slug of a heading was given out. */
  readonly #slugs = new Map<string, number>()
  /** For each open blockquote whether it became an alert. */
  readonly #quotes: boolean[] = []
  #at = 0
  #verbatim = 0
  #paragraphs = 0
  #links = 0
  /** The link that is shown as text, while its text is written. */
  #plain: { readonly href: string; readonly at: number } | null = null
  #tasks = 0
  #heading: Heading | null = null

  constructor(html: string, parts: DocumentParts) {
    this.#html = html
    this.#parts = parts
    this.#context = parts.context
  }

  run(): string {
    while (this.#at < this.#html.length) {
      if (this.#codeBlock() || this.#alert()) continue
      const found = this.#match(token)
      if (!found) break
      const [whole, close, name, attributes = ''] = found
      this.#at += whole.length
      if (name === undefined) this.#text(whole)
      else this.#tag({ whole, name, opening: close === '', attributes })
    }
    return this.#out.join('')
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    return pattern.exec(this.#html)
  }

  /** A fenced block, highlighted by the first word of its info string. */
  #codeBlock(): boolean {
    if (!this.#html.startsWith('<pre><code', this.#at)) return false
    const block = this.#match(codeBlock)
    if (!block) return false
    const word = unescapeHtml(block[1] ?? '').split(/[\s,{]/)[0] ?? ''
    this.#at += block[0].length
    const math = word === 'math' ? this.#parts.renderMath(unescapeHtml(block[2] ?? ''), true) : null
    if (math !== null) {
      this.#out.push(`<p>${math}</p>`)
      return true
    }
    const lines = highlightLines(
      unescapeHtml(block[2] ?? ''),
      word === '' ? null : grammarOfWord(word),
    )
    const shown = `<pre tabindex="0" role="group" aria-label="${Bun.escapeHTML(t('Code'))}"><code>${lines.join('\n')}</code></pre>`
    this.#out.push(word === 'mermaid' ? diagramSource(shown) : shown)
    return true
  }

  /** A blockquote that begins with `[!note]` or another kind of alert. */
  #alert(): boolean {
    if (!this.#html.startsWith('<blockquote>', this.#at)) return false
    const alert = this.#match(alertStart)
    const kind = alert?.[1]?.toLowerCase() ?? ''
    const style = ALERT_STYLES[kind]
    if (!alert || !style) return false
    const title = `${icon(style.icon)}${Bun.escapeHTML(style.word)}`
    this.#out.push(`<div class="alert alert-${kind}"><p class="alert-title">${title}</p><p>`)
    this.#quotes.push(true)
    this.#paragraphs++
    this.#at += alert[0].length
    return true
  }

  #text(whole: string): void {
    if (this.#heading) this.#heading.text += unescapeHtml(whole)
    const plain = this.#verbatim === 0
    const emoji = plain ? replaceEmoji(whole) : whole
    const text = this.#context && plain ? linkReferences(emoji, this.#context) : emoji
    const broken = this.#parts.breaks && plain ? text.replace(this.#lineEnds(), '<br />\n') : text
    const noted = plain
      ? broken.replace(
          FOOTNOTE_MARK,
          (mark, name: string) => this.#parts.footnotes.mark(name) ?? mark,
        )
      : broken
    this.#out.push(
      noted.replace(FORMULA_MARK, (_, index: string) => this.#formula(Number(index), plain)),
    )
  }

  #formula(index: number, plain: boolean): string {
    const formula = this.#parts.formulas[index]
    if (!formula) return ''
    const math = plain ? this.#parts.renderMath(formula.tex, formula.display) : null
    return (
      math ??
      (plain ? `<code>${Bun.escapeHTML(formula.source)}</code>` : Bun.escapeHTML(formula.source))
    )
  }

  /**
   * The line ends that become breaks: inside a paragraph all but one that follows a break, between
   * blocks only those with text on both sides.
   */
  #lineEnds(): RegExp {
    if (this.#paragraphs === 0) return /(?<=\S)\n(?=\S)/g
    return this.#out.at(-1)?.startsWith('<br') ? /(?<!^)\n/g : /\n/g
  }

  #tag(tag: Tag): void {
    const { whole, name, opening } = tag
    if (name === 'blockquote' && this.#blockquote(opening)) return
    if (VERBATIM.has(name)) this.#verbatim += opening ? 1 : -1
    if (name === 'p') this.#paragraphs += opening ? 1 : -1
    if (name === 'a' && this.#plainLink(tag)) return
    if (name === 'a') this.#links += opening ? 1 : -1
    if (name === 'a' && opening && this.#shortLink(tag)) return
    if ((name === 'img' || name === 'source') && this.#parts.images) {
      const shown = this.#sourceInTag(whole)
      this.#out.push(applyImagePolicy(shown, name, this.#parts.images, this.#links > 0))
      return
    }
    if (name === 'input' && this.#parts.tasks) {
      this.#out.push(
        whole.replace(
          / disabled( checked)? aria-label="[^"]*"/,
          (_, checked = '') =>
            ` name="task" value="${this.#tasks++}"${checked} aria-label="${Bun.escapeHTML(t('Done'))}"`,
        ),
      )
      return
    }
    if (name === 'table')
      this.#out.push(
        opening
          ? `<div class="table-wrap" role="group" aria-label="${Bun.escapeHTML(t('Table'))}" tabindex="0">${whole}`
          : `${whole}</div>`,
      )
    else if (/^h[1-6]$/.test(name)) this.#headingTag(tag)
    else this.#out.push(this.#sourceInTag(whole))
  }

  /** A mark in an attribute is shown as the formula was typed. */
  #sourceInTag(whole: string): string {
    return whole.replace(FORMULA_MARK, (_, index: string) =>
      Bun.escapeHTML(this.#parts.formulas[Number(index)]?.source ?? ''),
    )
  }

  /** True for the end of an alert, which is written as the end of its `div`. */
  #blockquote(opening: boolean): boolean {
    if (opening) {
      this.#quotes.push(false)
      return false
    }
    if (this.#quotes.pop() !== true) return false
    this.#out.push('</div>')
    return true
  }

  /** In texts by agents a link to another site is its text and its address. */
  #plainLink({ opening, attributes }: Tag): boolean {
    const { images } = this.#parts
    if (images?.links !== 'text') return false
    if (opening) {
      const href = unescapeHtml(/ href="([^"]*)"/.exec(attributes)?.[1] ?? '')
      if (!leavesSite(href, images.siteUrl)) return false
      this.#plain = { href, at: this.#out.length }
      return true
    }
    if (this.#plain === null) return false
    const { href, at } = this.#plain
    this.#plain = null
    const text = unescapeHtml(this.#out.slice(at).join('')).trim()
    if (text !== href) this.#out.push(Bun.escapeHTML(` (${href})`))
    return true
  }

  /** A bare address of this site is shown by its short name. */
  #shortLink({ whole, attributes }: Tag): boolean {
    if (!this.#context) return false
    const href = unescapeHtml(/ href="([^"]*)"/.exec(attributes)?.[1] ?? '')
    const end = this.#html.indexOf('</a>', this.#at)
    if (href === '' || end === -1) return false
    if (unescapeHtml(this.#html.slice(this.#at, end)) !== href) return false
    const short = shortForm(href, this.#context)
    if (short === null) return false
    this.#out.push(whole, Bun.escapeHTML(short))
    if (this.#heading) this.#heading.text += short
    this.#at = end
    return true
  }

  #headingTag({ whole, opening, attributes }: Tag): void {
    if (opening)
      this.#heading = { at: this.#out.length, text: '', ownId: attributes.includes(' id="') }
    else if (this.#heading) this.#anchor(this.#heading)
    this.#out.push(whole)
  }

  /** Ends a heading: its opening tag gets an id, and a link to it follows the text. */
  #anchor({ at, text, ownId }: Heading): void {
    const slug = slugOf(text)
    const seen = this.#slugs.get(slug) ?? 0
    this.#slugs.set(slug, seen + 1)
    const id = Bun.escapeHTML(`${ID_PREFIX}${slug}${seen > 0 ? `-${seen}` : ''}`)
    const start = this.#out[at] ?? ''
    if (!ownId) this.#out[at] = start.replace(/>$/, ` id="${id}">`)
    const target = ownId ? (/ id="([^"]*)"/.exec(start)?.[1] ?? id) : id
    const href = encodeURI(unescapeHtml(target))
    this.#out.push(
      `<a class="anchor" href="#${href}" aria-label="${Bun.escapeHTML(t('Link to this heading'))}">${icon('link')}</a>`,
    )
    this.#heading = null
  }
}

/** Decorates clean HTML. */
export const decorate = (html: string, parts: DocumentParts): string =>
  new Decorator(html, parts).run()
