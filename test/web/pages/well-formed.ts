/**
 * Reads XML strictly (https://www.w3.org/TR/xml/): throws for anything that is not well-formed. No
 * declarations, no entities but the five.
 */
export type Element = {
  readonly name: string
  readonly attributes: Record<string, string>
  readonly children: Element[]
  text: string
}

const NAMES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

const unescape = (text: string): string => {
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(text))
    throw new Error('a character that XML has no place for')
  return text.replace(
    /&(?:#(\d+)|#x([0-9a-f]+)|(\w+));?|&/gi,
    (whole, decimal?: string, hex?: string, name?: string) => {
      const known = name === undefined ? undefined : NAMES[name]
      if (
        !whole.endsWith(';') ||
        (decimal === undefined && hex === undefined && known === undefined)
      )
        throw new Error(`not an entity: ${whole}`)
      return (
        known ??
        String.fromCodePoint(
          decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal),
        )
      )
    },
  )
}

export function parseXml(text: string): Element {
  const root: Element = { name: '', attributes: {}, children: [], text: '' }
  const open = [root]
  let at = text.startsWith('<?xml version="1.0" encoding="utf-8"?>') ? 38 : 0
  const token = /<\/([\w:]+)\s*>|<([\w:]+)((?:\s+[\w:]+="[^"<]*")*)\s*(\/?)>|([^<]+)/y
  while (at < text.length) {
    token.lastIndex = at
    const found = token.exec(text)
    const top = open.at(-1)
    if (!found || !top)
      throw new Error(`not well-formed at ${JSON.stringify(text.slice(at, at + 80))}`)
    at += found[0].length
    const [, close, name, attributes = '', empty, words] = found
    if (words !== undefined) top.text += unescape(words)
    else if (close !== undefined) {
      if (open.pop()?.name !== close) throw new Error(`</${close}> closes nothing`)
    } else if (name !== undefined) {
      const element: Element = {
        name,
        children: [],
        text: '',
        attributes: Object.fromEntries(
          [...attributes.matchAll(/([\w:]+)="([^"]*)"/g)].map(([, key, value]) => [
            key ?? '',
            unescape(value ?? ''),
          ]),
        ),
      }
      top.children.push(element)
      if (empty === '') open.push(element)
    }
  }
  const [first, ...more] = root.children
  if (open.length !== 1 || !first || more.length > 0 || root.text.trim() !== '')
    throw new Error('not one element')
  return first
}
