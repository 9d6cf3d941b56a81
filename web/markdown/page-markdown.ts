/**
 * The Markdown of one page. Views are synchronous, so a document that is not rendered yet gets a
 * marker in its place. When the page is complete, `fill` waits for the documents and puts them in.
 */
import type { Hearth } from '#core/hearth.ts'
import { plainMarkdown, type MarkdownOptions } from '../markdown.ts'
import { markdownRenderer } from './renderer.ts'

/** A page waits this long for all its documents. Those that come later are shown as typed. */
const PATIENCE_MS = 8_000

type PendingDocument = { readonly text: string; readonly html: Promise<string> }

export class PageMarkdown {
  readonly #pending: PendingDocument[] = []
  /** Random, so that no text on the page can contain a marker. */
  #nonce = ''

  /** `caller` is whom the work counts for: an id or a network address. */
  constructor(
    private readonly hearth: Pick<Hearth, 'services'>,
    private readonly caller: string,
    private readonly patienceMs = PATIENCE_MS,
  ) {}

  get isPending(): boolean {
    return this.#pending.length > 0
  }

  /** The HTML of a document, or a marker that `fill` replaces. */
  place(text: string, options: MarkdownOptions): string {
    const html = markdownRenderer(this.hearth).renderNow(text, options)
    if (html !== null) return html
    if (this.#nonce === '') this.#nonce = crypto.randomUUID()
    this.#pending.push({ text, html: this.render(text, options) })
    return `<!--markdown ${this.#nonce} ${this.#pending.length - 1}-->`
  }

  /** Renders a document that is not part of a page. */
  render(text: string, options: MarkdownOptions): Promise<string> {
    return markdownRenderer(this.hearth).render(text, options, this.caller)
  }

  /** Replaces the markers of a page. */
  async fill(page: string): Promise<string> {
    if (!this.isPending) return page
    const timer = Promise.withResolvers<null>()
    const timeout = setTimeout(() => timer.resolve(null), this.patienceMs)
    const documents = await Promise.all(
      this.#pending.map(
        async ({ text, html }) =>
          (await Promise.race([html, timer.promise])) ?? plainMarkdown(text),
      ),
    )
    clearTimeout(timeout)
    const marker = new RegExp(`<!--markdown ${this.#nonce} (\\d+)-->`, 'g')
    return page.replace(marker, (_, index: string) => documents[Number(index)] ?? '')
  }
}
