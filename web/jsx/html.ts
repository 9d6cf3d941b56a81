// The only type whose text is trusted as HTML. All other text is escaped, so text becomes markup
// only through `raw(…)`, whose calls can be searched for.

/** Finished HTML. JSX creates it, and {@link raw} from text that is safe. */
export class Html {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  /** The markup. */
  toString(): string {
    return this.#text
  }

  /** Its JSON is the markup, not an empty object. */
  toJSON(): string {
    return this.#text
  }
}

/**
 * A child of an element. `false`, `true`, `null` and `undefined` render nothing, so `{condition &&
 * <b/>}` works.
 */
export type Child = Html | string | number | bigint | boolean | null | undefined | readonly Child[]

/** The result of a component. */
export type Rendered = Html | null

/**
 * Marks text as finished HTML. Only for the output of code that escapes or sanitizes: the Markdown
 * renderer, the highlighter, files of this repository.
 */
export const raw = (text: string): Html => new Html(text)

/** Renders a child. Everything but {@link Html} is escaped. */
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
  // Another object (a date, a record) would render as "[object Object]", so it throws.
  throw new TypeError(
    `a page cannot print a value of type ${Object.prototype.toString.call(child)}`,
  )
}

/** A whole page as text, with its doctype. */
export const renderPage = (page: Html): string => `<!doctype html>\n${page.toString()}`
