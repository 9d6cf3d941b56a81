// JSX that renders strings and escapes by default. The compiler turns `<a href={x}>{y}</a>` into
// `jsx('a', { href: x, children: y })` (React's automatic runtime,
// https://github.com/reactjs/rfcs/blob/main/text/0000-create-element-changes.md).
import { renderAttribute } from './attributes.ts'
import { Html, renderChild, type Child, type Rendered } from './html.ts'

export type { JSX } from './types.ts'

const voids = new Set([
  'area',
  'base',
  'br',
  'col',
  'embed',
  'hr',
  'img',
  'input',
  'link',
  'meta',
  'source',
  'track',
  'wbr',
])
const tagPattern = /^[a-zA-Z][a-zA-Z0-9-]*$/

interface Props {
  children?: Child
  [name: string]: unknown
}

/**
 * The content of a field, which may be a whole file. Only these two signs mean something there (HTML,
 * section 13.1.2.2), and a source has many of the others.
 */
const fieldText = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

const element = (tag: string, props: Props): string => {
  if (!tagPattern.test(tag)) throw new TypeError(`"${tag}" is not an element name`)
  let text = `<${tag}`
  for (const name in props) {
    if (name !== 'children') text += renderAttribute(name, props[name])
  }
  text += '>'
  if (voids.has(tag)) return text
  const { children } = props
  const inside =
    tag === 'textarea' && typeof children === 'string' ? fieldText(children) : renderChild(children)
  if (inside !== '') {
    // Their text cannot be escaped, and the content security policy forbids both inline.
    if (tag === 'script' || tag === 'style')
      throw new TypeError(`a page cannot carry an inline <${tag}>`)
    // The HTML parser drops one line end after these start tags (HTML, section 13.1.2.5), so one is
    // added.
    if ((tag === 'pre' || tag === 'textarea') && inside.startsWith('\n')) text += '\n'
  }
  return `${text}${inside}</${tag}>`
}

/** Renders an element or a component. */
export const jsx = <P extends object>(type: string | ((props: P) => Rendered), props: P): Html => {
  if (typeof type === 'string') return new Html(element(type, props as Props))
  return type(props) ?? new Html('')
}

/** The same for several children. */
export const jsxs = jsx

/** Children without an element around them. */
export const Fragment = (props: { children?: Child }): Html => new Html(renderChild(props.children))
