// Formulas as MathML, which browsers show without a script or fonts of ours. Only the thread for
// Markdown imports this, because Temml is 170 KB.
import sanitizeHtml from 'sanitize-html'
import temml from 'temml'

const ELEMENTS = [
  'math',
  'menclose',
  'merror',
  'mfrac',
  'mi',
  'mmultiscripts',
  'mn',
  'mo',
  'mover',
  'mpadded',
  'mphantom',
  'mprescripts',
  'mroot',
  'mrow',
  'ms',
  'mspace',
  'msqrt',
  'mstyle',
  'msub',
  'msubsup',
  'msup',
  'mtable',
  'mtd',
  'mtext',
  'mtr',
  'munder',
  'munderover',
  'none',
  'semantics',
]
const ATTRIBUTES = [
  'accent',
  'accentunder',
  'columnalign',
  'columnlines',
  'columnspacing',
  'columnspan',
  'depth',
  'display',
  'displaystyle',
  'fence',
  'form',
  'height',
  'largeop',
  'linethickness',
  'lspace',
  'mathvariant',
  'maxsize',
  'minsize',
  'movablelimits',
  'notation',
  'rowlines',
  'rowspacing',
  'rowspan',
  'rspace',
  'scriptlevel',
  'separator',
  'stretchy',
  'symmetric',
  'voffset',
  'width',
]

/** Expansions of macros of one formula. */
const MAX_EXPANSIONS = 500
const MAX_MATHML_LENGTH = 200_000

/** Null for a formula that is not understood. */
export function renderMath(tex: string, display: boolean): string | null {
  try {
    const mathml = temml.renderToString(tex, {
      displayMode: display,
      throwOnError: true,
      trust: false,
      maxExpand: MAX_EXPANSIONS,
      maxSize: [20, 500],
    })
    if (mathml.length > MAX_MATHML_LENGTH) return null
    return sanitizeHtml(mathml, {
      allowedTags: ELEMENTS,
      allowedAttributes: { '*': ATTRIBUTES },
      allowedSchemes: [],
      disallowedTagsMode: 'discard',
    })
  } catch {
    return null
  }
}
