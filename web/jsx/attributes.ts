// HTML attributes as text. Values are escaped. Addresses are limited to an allow list of schemes,
// because pages show addresses that strangers typed (a website, a link in a profile). Event
// handlers and inline styles throw: the content security policy blocks them, so a page with one is
// a mistake.

/** Class names. Falsy parts are left out, so `['row', open && 'row-open']` works. */
export type ClassValue = string | false | null | undefined | readonly ClassValue[]

const NAME = /^[a-zA-Z_:][\w:.-]*$/
const addressNames = new Set([
  'href',
  'src',
  'action',
  'formaction',
  'xlink:href',
  'cite',
  'poster',
  'data',
  'ping',
  'background',
])
const safeSchemes = new Set(['http', 'https', 'mailto', 'ssh', 'git', 'otpauth'])

const joinClasses = (value: ClassValue): string => {
  if (!value) return ''
  if (typeof value === 'string') return value
  return value.map(joinClasses).filter(Boolean).join(' ')
}

/**
 * Whether an address may be in a link, an image or a form: a relative one, or one with a scheme of
 * the allow list. Browsers drop control characters and white space before they read the scheme
 * (WHATWG URL, section 4.4), so they are dropped here too.
 */
export const isSafeAddress = (value: string): boolean => {
  // A scheme ends before the first of these, so an address that begins with one has none.
  const [first] = value
  if (first === '/' || first === '#' || first === '?') return true
  const bare = value.replace(/[\u0000-\u0020\u007f-\u00a0\u200b-\u200f\u2028\u2029\ufeff]/g, '')
  const scheme = /^([^/?#:]*):/.exec(bare)?.[1]
  return scheme === undefined || safeSchemes.has(scheme.toLowerCase())
}

/** Names of attributes but for event handlers, inline styles and markup. */
const ALLOWED_NAME = /^(?!on|style$|srcdoc$|dangerouslysetinnerhtml$)[a-z_:][\w:.-]*$/i

/** How the value of an attribute is written. */
type AttributeKind = 'class' | 'aria' | 'address' | 'plain'

/** Throws a TypeError for a name that a page cannot carry. */
function kindOf(name: string): AttributeKind {
  if (!ALLOWED_NAME.test(name)) {
    if (!NAME.test(name)) throw new TypeError(`"${name}" is not an attribute name`)
    if (/^on/i.test(name)) throw new TypeError(`a page cannot carry the event handler "${name}"`)
    throw new TypeError(`a page cannot carry the attribute "${name}"`)
  }
  if (name === 'class') return 'class'
  if (name.startsWith('aria-')) return 'aria'
  return addressNames.has(name.toLowerCase()) ? 'address' : 'plain'
}

/** The most common names, whose kind need not be worked out. */
const COMMON_KINDS: ReadonlyMap<string, AttributeKind> = new Map(
  [
    'action',
    'aria-current',
    'aria-expanded',
    'aria-hidden',
    'aria-label',
    'class',
    'd',
    'datetime',
    'for',
    'height',
    'href',
    'id',
    'method',
    'name',
    'rel',
    'role',
    'src',
    'tabindex',
    'title',
    'type',
    'value',
    'viewBox',
    'width',
  ].map((name) => [name, kindOf(name)]),
)

/**
 * One attribute with a leading space. Nothing for `false`, `null`, `undefined` and for an unsafe
 * address. `true` renders the bare name, except in `aria-*`, whose values are the words true and
 * false.
 */
export const renderAttribute = (name: string, value: unknown): string => {
  if (value === null || value === undefined) return ''
  const kind = COMMON_KINDS.get(name) ?? kindOf(name)
  if (kind === 'class') {
    const classes = joinClasses(value as ClassValue)
    return classes === '' ? '' : ` class="${Bun.escapeHTML(classes)}"`
  }
  if (typeof value === 'boolean') {
    if (kind === 'aria') return ` ${name}="${value}"`
    return value ? ` ${name}` : ''
  }
  if (typeof value === 'number' || typeof value === 'bigint') return ` ${name}="${value}"`
  if (typeof value !== 'string')
    throw new TypeError(`the attribute "${name}" cannot hold a value of type ${typeof value}`)
  if (kind === 'address' && !isSafeAddress(value)) return ''
  return ` ${name}="${Bun.escapeHTML(value)}"`
}
