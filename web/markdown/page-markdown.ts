/**
 * The Markdown and the highlighted source of one page, which threads render. Views are synchronous,
 * so what is not rendered yet gets a marker in its place. When the page is complete, `fill` waits
 * for these parts and puts them in.
 */
import type { Hearth } from '#core/hearth.ts'
import { imageKey } from '#features/images/index.ts'
import { plainMarkdown, type MarkdownOptions } from '../markdown.ts'
import { escapeLines, type Grammar } from '../highlight.ts'
import { type FileLines, highlighter, type HighlightSource } from '../highlight/highlighter.ts'
import type { ImagePolicy } from './images.ts'
import { divideDocument, type RenderedDocument } from './parts.ts'
import { markdownRenderer } from './renderer.ts'

/** A page waits this long for all its parts. Those that come later are shown as typed. */
const PATIENCE_MS = 8_000

/** A part of a page. `plain` makes what is shown when the part comes too late. */
type PendingPart = { readonly html: Promise<string>; readonly plain: () => string }

export class PageMarkdown {
  readonly #pending: PendingPart[] = []
  /** Random, so that no text on the page can contain a marker. */
  #nonce = ''

  /** `caller` is whom the work counts for: an id or a network address. */
  constructor(
    private readonly hearth: Pick<Hearth, 'services' | 'settings'>,
    private readonly caller: string,
    private readonly patienceMs = PATIENCE_MS,
  ) {}

  get isPending(): boolean {
    return this.#pending.length > 0
  }

  /** What `show` makes of the HTML of a document, or a marker that `fill` replaces by it. */
  place(text: string, given: MarkdownOptions, show = (html: string) => html): string {
    const options = this.#withImages(given)
    const document = markdownRenderer(this.hearth).renderNow(text, options)
    if (document !== null) return show(document.html)
    return this.#placeLater(this.render(text, given).then(show), () => show(plainMarkdown(text)))
  }

  /** A document in parts. It is shown as it was typed when it takes too long. */
  async document(text: string, given: MarkdownOptions): Promise<RenderedDocument> {
    const late = Promise.withResolvers<null>()
    const timeout = setTimeout(() => late.resolve(null), this.patienceMs)
    try {
      const document = await Promise.race([this.#render(text, given), late.promise])
      return document ?? divideDocument(plainMarkdown(text))
    } finally {
      clearTimeout(timeout)
    }
  }

  /**
   * What `render` makes of the highlighted lines of texts of one language, or a marker that `fill`
   * replaces by it.
   */
  placeSource(
    texts: readonly string[],
    grammar: Grammar | null,
    render: (lines: readonly (readonly string[])[]) => string,
  ): string {
    const lines = highlighter(this.hearth).texts(texts, grammar, this.caller)
    return lines instanceof Promise
      ? this.#placeLater(lines.then(render), () => render(texts.map(escapeLines)))
      : render(lines)
  }

  /** The lines of a file, which are plain when they take longer than `patience` milliseconds. */
  sourceFile(source: HighlightSource, patience?: number): Promise<FileLines> {
    const options = { caller: this.caller, ...(patience === undefined ? {} : { patience }) }
    return highlighter(this.hearth).file(source, options)
  }

  #placeLater(html: Promise<string>, plain: () => string): string {
    if (this.#nonce === '') this.#nonce = crypto.randomUUID()
    this.#pending.push({ html, plain })
    return `<!--part ${this.#nonce} ${this.#pending.length - 1}-->`
  }

  /** Renders a document that is not part of a page. */
  async render(text: string, options: MarkdownOptions): Promise<string> {
    return (await this.#render(text, options)).html
  }

  #render(text: string, options: MarkdownOptions): Promise<RenderedDocument> {
    return markdownRenderer(this.hearth).render(text, this.#withImages(options), this.caller)
  }

  #withImages(options: MarkdownOptions): MarkdownOptions {
    const { images, site_url: siteUrl } = this.hearth.settings
    if (options.isByAgent)
      return { ...options, images: { mode: 'off', siteUrl, key: '', links: 'text' } }
    if (images.external === 'direct') return options
    const policy: ImagePolicy = { mode: images.external, siteUrl, key: imageKey(this.hearth) }
    return { ...options, images: policy }
  }

  /** Replaces the markers of a page. */
  async fill(page: string): Promise<string> {
    if (!this.isPending) return page
    const timer = Promise.withResolvers<null>()
    const timeout = setTimeout(() => timer.resolve(null), this.patienceMs)
    const parts = await Promise.all(
      this.#pending.map(
        async ({ html, plain }) => (await Promise.race([html, timer.promise])) ?? plain(),
      ),
    )
    clearTimeout(timeout)
    const marker = new RegExp(`<!--part ${this.#nonce} (\\d+)-->`, 'g')
    // A part may have others in it: the lines of a change have conversations below them.
    const put = (html: string): string =>
      html.replace(marker, (_, index: string) => put(parts[Number(index)] ?? ''))
    return put(page)
  }
}
