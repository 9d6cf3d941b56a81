import { raw, type Html } from '../jsx/html.ts'

/**
 * Control characters that embed, override or isolate a direction of text (Unicode Standard Annex 9,
 * section 2). They can make the text after them look like other text.
 */
const SIGNS = '\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069'
const BIDI_CONTROLS = new RegExp(`[${SIGNS}]`, 'g')

const markOf = (sign: string): string =>
  `<bdi class="bidi" data-sign="U+${sign.charCodeAt(0).toString(16).toUpperCase()}">${sign}</bdi>`

/** A hostile file has nothing else, so they are made once. */
const MARKS: ReadonlyMap<string, string> = new Map([...SIGNS].map((sign) => [sign, markOf(sign)]))

/**
 * Shows these characters by their code points in escaped text, each isolated so that it has no
 * effect. Copied text keeps them.
 */
export const markBidiControls = (escaped: string): string =>
  escaped.replace(BIDI_CONTROLS, (sign) => MARKS.get(sign) ?? sign)

/** The name of a file or a ref, which strangers choose. */
export const UntrustedName = ({ children }: { children: string }): Html =>
  raw(markBidiControls(Bun.escapeHTML(children)))
