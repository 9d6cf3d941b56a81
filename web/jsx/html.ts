// The one type whose text is trusted as HTML. Everything else that reaches a page is escaped, so a
// value can become markup only where somebody wrote `raw(…)`, and those places can be found by
// searching for that word.

/**
 * A piece of finished HTML. Made by JSX, or by {@link raw} from text that is already known to be
 * safe.
 */
export class Html {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  /** The markup itself. */
  toString(): string {
    return this.#text
  }

  /** JSON of a page fragment is its markup, not an empty object. */
  toJSON(): string {
    return this.#text
  }
}

/**
 * What may stand between two tags. `false`, `true`, `null` and `undefined` print nothing, so
 * `{condition && <b/>}` works.
 */
export type Child = Html | string | number | bigint | boolean | null | undefined | readonly Child[]

/** What a component may give back. */
export type Rendered = Html | null

/**
 * Marks text as finished HTML. Only for the output of something that escapes or cleans by itself:
 * the Markdown cleaner, the highlighter, a file of our own.
 */
export const raw = (text: string): Html => new Html(text)

/** Prints what may stand between two tags, escaped unless it is {@link Html}. */
export const renderChild = (child: Child): string => {
  if (typeof child === 'string') return Bun.escapeHTML(child)
  if (child instanceof Html) return child.toString()
  if (child === null || child === undefined || typeof child === 'boolean') return ''
  if (typeof child === 'number' || typeof child === 'bigint') return String(child)
  if (Array.isArray(child)) {
    let text = ''
    for (const one of child as readonly Child[]) text += renderChild(one)
    return text
  }
  // An object that is not Html (a date, a record) would print as "[object Object]": always a
  // mistake of the page.
  throw new TypeError(
    `a page cannot print a value of type ${Object.prototype.toString.call(child)}`,
  )
}

/** A whole page as text, with its doctype. */
export const renderPage = (page: Html): string => `<!doctype html>\n${page.toString()}`
