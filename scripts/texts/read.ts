/** Reads the syntax tree of a page: what is a text, and what its template is. */
import { parseSync } from 'oxc-parser'
import type { Source } from '../tidy/source.ts'
import { INLINE_COMPONENTS, INLINE_ELEMENTS } from './keys.ts'

/** A node of the tree, as far as texts need it. */
export type Node = {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

export const isNode = (value: unknown): value is Node =>
  value !== null && typeof value === 'object' && 'type' in value && 'start' in value

/** The nodes below a node, in the order of the text. */
export const childrenOf = (node: Node): Node[] => Object.values(node).flat().filter(isNode)

export function parseTree({ file, text }: Source): Node {
  const { program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`)
  return program as unknown as Node
}

/** Whether a string has a word that people read. */
export const hasWords = (text: string): boolean =>
  /\p{L}{2}|^\p{Lu}\b/u.test(text.replaceAll('Hearth', ''))

/** The text of JSX as it is rendered: lines are trimmed, and joined with a space. */
export function jsxText(raw: string): string {
  const lines = raw.split(/\r?\n/)
  return lines
    .map((line, index) => {
      let text = line.replaceAll('\t', ' ')
      if (index > 0) text = text.replace(/^ +/, '')
      if (index < lines.length - 1) text = text.replace(/ +$/, '')
      return text
    })
    .filter((line) => line !== '')
    .join(' ')
}

export const nameOfTag = (element: Node, text: string): string => {
  const { name } = element.openingElement as Node & { name: Node }
  return text.slice(name.start, name.end)
}

/** Whether an element or expression may stand within a sentence. */
export function isInline(node: Node, text: string): boolean {
  if (node.type === 'JSXElement') {
    const tag = nameOfTag(node, text)
    return INLINE_ELEMENTS.has(tag) || INLINE_COMPONENTS.has(tag)
  }
  if (node.type !== 'JSXExpressionContainer') return false
  const expression = node.expression as Node
  if (expression.type === 'JSXEmptyExpression') return false
  return !hasBlock(expression, text)
}

/** Whether an expression renders something that is no part of a sentence. */
function hasBlock(node: Node, text: string): boolean {
  if (node.type === 'JSXElement' && !isInline(node, text)) return true
  if (
    node.type === 'CallExpression' &&
    /\.map$/.test(text.slice(node.start, (node.callee as Node).end))
  )
    return true
  return childrenOf(node).some((child) => hasBlock(child, text))
}

/** The string that an expression is; null when it is computed. */
export function stringOf(node: Node): string | null {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node.type === 'TemplateLiteral' && (node.expressions as Node[]).length === 0)
    return (node.quasis as { value: { cooked: string } }[])[0]?.value.cooked ?? null
  return null
}

/** A name for the place of an expression in a template. */
export function nameOfExpression(node: Node): string {
  switch (node.type) {
    case 'Identifier': {
      const name = node.name as string
      if (!/^[A-Z][A-Z0-9_]+$/.test(name)) return name
      return name.toLowerCase().replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
    }
    case 'MemberExpression': {
      const property = node.property as Node
      if (property.name === 'length') return nameOfExpression(node.object as Node)
      if (!(node.computed as boolean)) return property.name as string
      return nameOfExpression(node.object as Node)
    }
    case 'CallExpression': {
      const callee = node.callee as Node
      if (callee.type === 'MemberExpression') return nameOfMethod(callee)
      if (callee.name === 'plural') return nameOfPlural(node)
      const first = (node.arguments as Node[])[0]
      const inner = first ? nameOfExpression(first) : 'value'
      return inner === 'value' ? nameOfExpression(node.callee as Node) : inner
    }
    case 'LogicalExpression':
    case 'BinaryExpression': {
      const left = nameOfExpression(node.left as Node)
      return left === 'value' ? nameOfExpression(node.right as Node) : left
    }
    case 'ConditionalExpression':
      return nameOfExpression(node.test as Node)
    case 'UnaryExpression':
      return nameOfExpression(node.argument as Node)
    case 'TSNonNullExpression':
    case 'TSAsExpression':
    case 'ChainExpression':
    case 'ParenthesizedExpression':
      return nameOfExpression(node.expression as Node)
    default:
      return 'value'
  }
}

const nameOfMethod = (callee: Node): string =>
  METHODS.has((callee.property as Node).name as string)
    ? nameOfExpression(callee.object as Node)
    : ((callee.property as Node).name as string)

/** Methods that change how a value is written, not what it is. */
const METHODS = new Set([
  'at',
  'filter',
  'join',
  'map',
  'replace',
  'replaceAll',
  'slice',
  'toFixed',
  'toLowerCase',
  'toString',
  'trim',
])

/** `files` for `plural(n, 'changed file')`. */
function nameOfPlural(node: Node): string {
  const [, word, many] = node.arguments as Node[]
  const one = word ? stringOf(word) : null
  if (one === null) return 'value'
  const words = ((many && stringOf(many)) ?? `${one}s`).split(' ')
  return words.at(-1) ?? 'value'
}
