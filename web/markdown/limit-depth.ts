/**
 * A limit on how deep the elements of a document nest. The cleaner's parser keeps open elements in
 * an array that it changes at the front, so 65,000 nested quotes took it seconds. One pass.
 */

/** The cleaner itself drops tags from a depth of 60 on, so no document looks different. */
const MAX_DEPTH = 100

/** Elements without content. */
const VOID = new Set([
  ...['area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'param'],
  ...['source', 'track', 'wbr'],
])

/** Elements whose content the parser reads as text. Without their tags it would be shown. */
const RAW_TEXT = new Set(['script', 'style', 'textarea', 'title'])

/** An open element that ends where one of the same name begins. */
const CLOSED_BY_ITSELF = new Set(['p', 'li', 'td', 'th', 'tr', 'dd', 'dt'])

const TAG = /<(\/?)([a-z][a-z0-9]*)/giy

/** Removes the tags of elements below `MAX_DEPTH`; their text stays. */
export function limitDepth(html: string): string {
  const open: string[] = []
  /** Removed opening tags by name, whose closing tags are removed too. */
  const removed = new Map<string, number>()
  let out = ''
  let copied = 0
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at + 1)) {
    TAG.lastIndex = at
    const match = TAG.exec(html)
    if (!match) continue
    const name = (match[2] ?? '').toLowerCase()
    if (VOID.has(name) || RAW_TEXT.has(name)) continue
    const isRemoved = match[1] === '/' ? !close(open, removed, name) : !enter(open, removed, name)
    if (!isRemoved) continue
    const end = html.indexOf('>', at)
    if (end < 0) break
    out += html.slice(copied, at)
    copied = end + 1
    at = end
  }
  return copied === 0 ? html : out + html.slice(copied)
}

/** Opens an element; false when it is too deep. */
function enter(open: string[], removed: Map<string, number>, name: string): boolean {
  if (CLOSED_BY_ITSELF.has(name) && open.at(-1) === name) return true
  if (open.length < MAX_DEPTH) {
    open.push(name)
    return true
  }
  removed.set(name, (removed.get(name) ?? 0) + 1)
  return false
}

/** Closes an element with those inside it; false when its opening tag was removed. */
function close(open: string[], removed: Map<string, number>, name: string): boolean {
  const count = removed.get(name) ?? 0
  if (count > 0) {
    removed.set(name, count - 1)
    return false
  }
  // At most MAX_DEPTH steps.
  const at = open.lastIndexOf(name)
  if (at >= 0) open.length = at
  return true
}
