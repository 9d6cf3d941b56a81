/**
 * The sentences that the server says in English and that pages show: refusals, summaries of events,
 * blockers of merges, help of settings, details of the status.
 */
import { lineAt, type Fault, type Source } from '../tidy/source.ts'
import type { Catalogue, Text } from './check.ts'
import { childrenOf, nameOfExpression, parseTree, stringOf, type Node } from './read.ts'

/** Functions that make refusals and events, whose sentences pages translate. */
export const SPEAKERS =
  /^(?:Refusal|invalid|conflict|notFound|forbidden|refuse|refuseAll|badRequest|tooLarge|unavailable|event|internalEvent|blocker|blocked|block)$/
/** Properties whose strings pages show. */
const SPOKEN = /^(?:help|detail|message)$/
/** Rooms whose sentences only machines read. */
const UNREAD = /^src\/(?:http\/(?:rest|git|tools|oauth)|git|actions|commands|runner|backup)\b/

/** All keys of some files: a value stands as `{name}`. */
export function readMessages(sources: readonly Source[]): Map<string, Text> {
  const found = new Map<string, Text>()
  for (const source of sources.filter(({ file }) => !UNREAD.test(file))) {
    const add = (node: Node): void => {
      const key = keyOf(node)
      if (key === null || !/\p{L} \p{L}/u.test(key) || found.has(key)) return
      found.set(key, { file: source.file, line: lineAt(source.text, node.start), plural: false })
    }
    const visit = (node: Node, spoken: boolean): void => {
      if (node.type === 'TemplateLiteral' || stringOf(node) !== null) {
        if (spoken) add(node)
        return
      }
      const isRecord = node.type === 'ObjectExpression'
      for (const child of childrenOf(node)) visit(child, isSpoken(node, child, spoken && !isRecord))
    }
    visit(parseTree(source), false)
  }
  return found
}

/** Whether the strings of a child are sentences. */
function isSpoken(node: Node, child: Node, before: boolean): boolean {
  if (node.type === 'Property') {
    const key = node.key as Node
    return child === node.value && (before || SPOKEN.test(String(key.name ?? key.value)))
  }
  if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return before
  const callee = node.callee as Node
  if (child === callee) return false
  return SPEAKERS.test(String(callee.name ?? (callee.property as Node | undefined)?.name ?? ''))
}

function keyOf(node: Node): string | null {
  const plain = stringOf(node)
  if (plain !== null) return plain
  const names = new Map<string, number>()
  const quasis = node.quasis as { value: { cooked: string } }[]
  return quasis
    .map(({ value }, index) => {
      const expression = (node.expressions as Node[])[index]
      return value.cooked + (expression ? `{${nameOnce(names, nameOfExpression(expression))}}` : '')
    })
    .join('')
}

/** A name of its own for each value. */
function nameOnce(names: Map<string, number>, name: string): string {
  const count = (names.get(name) ?? 0) + 1
  names.set(name, count)
  return count === 1 ? name : `${name}${count}`
}

const placesOf = (text: string): string => [...new Set(text.match(/\{\w+\}/g))].sort().join(' ')

/**
 * Translations that lose a value, and keys that no sentence fits. A sentence that changed in the source stays English until its
 * translation follows, so missing ones are no fault.
 */
export const checkMessages = (file: string, catalogue: Catalogue): Fault[] =>
  Object.entries(catalogue).flatMap(([key, text]) =>
    [
      ...(typeof text !== 'string' || placesOf(text) !== placesOf(key) ? ['has other places'] : []),
      // Nothing says where the first value ends, so no sentence is found by such a key.
      ...(key.includes('}{') ? ['has two places without a letter between them'] : []),
    ].map((fault) => ({ file, line: 1, message: `"${key}" ${fault}` })),
  )
