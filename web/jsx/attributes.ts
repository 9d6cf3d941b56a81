// Attributes as text. Values are escaped; addresses are let through by an allow list of schemes,
// because a forge prints
// addresses that strangers typed (a website field, a link in a profile). Handlers and inline styles
// are refused outright:
// the content security policy would block them anyway, and a page that needs one is a mistake to
// see at once.

/** Class names: falsy parts are left out, so `['row', open && 'row-open']` works. */
export type ClassValue = string | false | null | undefined | readonly ClassValue[]

const namePattern = /^[a-zA-Z_:][\w:.-]*$/
const known = new Set<string>()
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
 * Whether an address may stand in a link, an image or a form: relative, or with a scheme from the
 * allow list. Browsers drop control characters and white space before they read the scheme (WHATWG
 * URL, section
 * 4.4), so they are
 * dropped here too.
 */
export const isSafeAddress = (value: string): boolean => {
  const bare = value.replace(/[\u0000-\u0020\u007f-\u00a0\u200b-\u200f\u2028\u2029\ufeff]/g, '')
  const scheme = /^([^/?#:]*):/.exec(bare)?.[1]
  return scheme === undefined || safeSchemes.has(scheme.toLowerCase())
}

const checkName = (name: string): void => {
  if (known.has(name)) return
  if (!namePattern.test(name)) throw new TypeError(`"${name}" is not an attribute name`)
  const lower = name.toLowerCase()
  if (lower.startsWith('on')) throw new TypeError(`a page cannot carry the event handler "${name}"`)
  if (lower === 'style' || lower === 'srcdoc' || lower === 'dangerouslysetinnerhtml')
    throw new TypeError(`a page cannot carry the attribute "${name}"`)
  if (known.size < 500) known.add(name)
}

/**
 * One attribute with its leading space, or nothing for `false`, `null` and `undefined`. `true`
 * prints the bare name, except for `aria-*`, where the words true and false carry meaning. An
 * address that is not safe is left out.
 */
export const renderAttribute = (name: string, value: unknown): string => {
  if (value === null || value === undefined) return ''
  checkName(name)
  if (name === 'class') {
    const classes = joinClasses(value as ClassValue)
    return classes === '' ? '' : ` class="${Bun.escapeHTML(classes)}"`
  }
  if (typeof value === 'boolean') {
    if (name.startsWith('aria-')) return ` ${name}="${value}"`
    return value ? ` ${name}` : ''
  }
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') {
    throw new TypeError(`the attribute "${name}" cannot hold a value of type ${typeof value}`)
  }
  const text = String(value)
  if (addressNames.has(name.toLowerCase()) && !isSafeAddress(text)) return ''
  return ` ${name}="${Bun.escapeHTML(text)}"`
}
