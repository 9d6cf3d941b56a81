/** What the HTML of a page weighs, and what of it weighs most. */

const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr|!doctype)$/

type Element = {
  readonly name: string
  readonly start: number
  readonly children: Element[]
  end: number
}

const nameOf = (tag: string, attributes: string): string => {
  const id = / id="([^"]{1,40})/.exec(attributes)?.[1]
  const kind = / class="([^" ]+)/.exec(attributes)?.[1]
  return tag + (id === undefined ? '' : `#${id}`) + (kind === undefined ? '' : `.${kind}`)
}

export function treeOf(html: string): Element {
  const root: Element = { name: 'page', start: 0, end: html.length, children: [] }
  const open: Element[] = [root]
  for (const { 0: all, 1: close, 2: tag = '', 3: attributes = '', index } of html.matchAll(
    /<(\/?)(!?[a-z][a-z0-9]*)((?:"[^"]*"|[^<>"])*)>/gi,
  )) {
    if (close === '/') {
      const at = open.findLastIndex(({ name }) => name.split(/[#.]/)[0] === tag)
      if (at < 1) continue
      for (const ended of open.splice(at)) ended.end = index + all.length
    } else {
      const element = { name: nameOf(tag, attributes), start: index, end: 0, children: [] }
      open.at(-1)?.children.push(element)
      if (VOID.test(tag) || attributes.endsWith('/')) element.end = index + all.length
      else open.push(element)
    }
  }
  return root
}

const sizeOf = ({ start, end }: Element): number => end - start

/** Children of one name together, the heaviest first. */
function groupsOf(element: Element): { name: string; count: number; size: number; one: Element }[] {
  const groups = new Map<string, Element[]>()
  for (const child of element.children)
    groups.set(child.name, [...(groups.get(child.name) ?? []), child])
  return [...groups]
    .map(([name, all]) => ({
      name,
      count: all.length,
      size: all.reduce((sum, one) => sum + sizeOf(one), 0),
      one: all.reduce((most, one) => (sizeOf(one) > sizeOf(most) ? one : most)),
    }))
    .sort((a, b) => b.size - a.size)
}

const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} KB`

/** The way from the page to where its bytes are. */
export function heaviestPath(html: string): string {
  const path: string[] = []
  for (let at = treeOf(html); ; ) {
    const [first, second] = groupsOf(at)
    if (!first || first.size < sizeOf(at) / 4) break
    const count = first.count > 1 ? `${first.count} × ` : ''
    path.push(`${count}${first.name} ${kilobytes(first.size)}`)
    if (second && second.size > first.size / 2)
      path.push(`(${second.name} ${kilobytes(second.size)})`)
    at = first.one
  }
  return path.slice(2).join(' > ')
}

/**
 * The bytes of a page. A form that edits a text has to have all of it, so that what is sent back is
 * whole, without a script too: the text in a field counts for nothing, but everything around it does.
 */
export const weightOf = (html: string): number =>
  Buffer.byteLength(html.replace(/(<textarea\b[^>]*>)[^<]*(?=<\/textarea>)/g, '$1'))
