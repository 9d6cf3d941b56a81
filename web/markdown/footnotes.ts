// The footnotes of a document: marks in its text, and a list at its end in the order of the marks.
import { t } from '../text.ts'
import { ID_PREFIX } from './addresses.ts'

const MAX_MARKS = 1_000

export class Footnotes {
  readonly #texts: ReadonlyMap<string, string>
  /** Names in the order of their first marks, each with the number of its marks. */
  readonly #marks = new Map<string, number>()
  #left = MAX_MARKS

  constructor(texts: ReadonlyMap<string, string>) {
    this.#texts = texts
  }

  /** The link to a footnote; null when there is none of that name. */
  mark(name: string): string | null {
    if (!this.#texts.has(name) || this.#left-- <= 0) return null
    const count = (this.#marks.get(name) ?? 0) + 1
    this.#marks.set(name, count)
    const number = [...this.#marks.keys()].indexOf(name) + 1
    return `<sup class="footnote-mark"><a id="${markId(number, count)}" href="#${ID_PREFIX}fn-${number}" aria-label="${Bun.escapeHTML(t('Footnote {number}', { number }))}">${number}</a></sup>`
  }

  /**
   * The list of the marked footnotes. `render` makes HTML of the text of one, which may mark others.
   */
  list(render: (text: string) => string): string {
    const items: string[] = []
    // The set grows while the footnotes are rendered.
    for (const [name] of this.#marks) {
      const number = items.length + 1
      const html = render(this.#texts.get(name) ?? '')
      const back = Array.from(
        { length: this.#marks.get(name) ?? 0 },
        (_, at) =>
          ` <a class="footnote-back" href="#${markId(number, at + 1)}" aria-label="${Bun.escapeHTML(t('Back to the text'))}">↩</a>`,
      ).join('')
      const end = html.lastIndexOf('</p>')
      items.push(
        `<li id="${ID_PREFIX}fn-${number}">${end === -1 ? html + back : html.slice(0, end) + back + html.slice(end)}</li>`,
      )
    }
    return items.length === 0
      ? ''
      : `<section class="footnotes" aria-label="${Bun.escapeHTML(t('Footnotes'))}"><ol>${items.join('')}</ol></section>`
  }
}

const markId = (number: number, count: number): string =>
  `${ID_PREFIX}fnref-${number}${count === 1 ? '' : `-${count}`}`
