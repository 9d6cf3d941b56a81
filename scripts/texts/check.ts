/** The texts of the website, as their translations need them, and what is wrong with either. */
import type { Fault, Source } from '../tidy/source.ts'
import { lineAt } from '../tidy/source.ts'
import { TABLE_KEYS } from '#web/text.ts'
import { childrenOf, parseTree, stringOf, type Node } from './read.ts'

/** A text by its key. */
export type Text = { readonly file: string; readonly line: number; readonly plural: boolean }

export type Catalogue = Readonly<Record<string, string | Readonly<Record<string, string>>>>

/** All keys of some files. */
export function readTexts(sources: readonly Source[]): Map<string, Text> {
  const found = new Map<string, Text>()
  for (const source of sources) {
    const add = (key: string | null | undefined, node: Node, plural = false): void => {
      if (!key || found.has(key)) return
      found.set(key, { file: source.file, line: lineAt(source.text, node.start), plural })
    }
    const visit = (node: Node): void => {
      if (node.type === 'CallExpression') {
        const name = (node.callee as Node).name as string
        const [first, second] = node.arguments as Node[]
        if ((name === 't' || name === 'rich') && first)
          for (const key of stringsOf(first)) add(key, first)
        if ((name === 'tn' || name === 'richn') && second) add(stringOf(second), second, true)
        if (name === 'texts' && first) tableTexts(first, () => true, add)
        if (name === 'localized' && first) tableTexts(first, (key) => TABLE_KEYS.has(key), add)
      }
      for (const child of childrenOf(node)) visit(child)
    }
    visit(parseTree(source))
  }
  return found
}

/** The strings that an expression may be. */
function stringsOf(node: Node): string[] {
  if (node.type === 'ConditionalExpression')
    return [...stringsOf(node.consequent as Node), ...stringsOf(node.alternate as Node)]
  const text = stringOf(node)
  return text === null ? [] : [text]
}

function tableTexts(
  node: Node,
  isText: (key: string) => boolean,
  add: (key: string, node: Node) => void,
): void {
  if (node.type === 'Property') {
    const key = node.key as Node
    const text = stringOf(node.value as Node)
    if (text !== null && isText(String(key.name ?? key.value))) add(text, node.value as Node)
  }
  if (node.type === 'ArrayExpression')
    for (const element of (node.elements as (Node | null)[]).filter((one) => one !== null)) {
      const text = stringOf(element)
      if (text !== null && LOOKS_LIKE_TEXT.test(text)) add(text, element)
    }
  for (const child of childrenOf(node)) tableTexts(child, isText, add)
}

/** As in `web/text.ts`. */
const LOOKS_LIKE_TEXT = /^\p{Lu}\p{Ll}|\p{L} \p{L}/u

const placesOf = (text: string): string =>
  [...new Set(text.match(/\{\w+\}|<\w+>/g))].sort().join(' ')

/** What is wrong with a catalogue: missing and unused keys, places that differ. */
export function checkCatalogue(
  file: string,
  catalogue: Catalogue,
  known: ReadonlyMap<string, Text>,
  forms: readonly string[],
): Fault[] {
  const faults: Fault[] = []
  const add = (message: string): void => void faults.push({ file, line: 1, message })
  for (const [key, { plural }] of known) {
    const entry = catalogue[key]
    if (entry === undefined) add(`no translation of "${key}"`)
    else if (plural !== (typeof entry === 'object'))
      add(`"${key}" ${plural ? 'needs plural forms' : 'has no plural'}`)
    else if (typeof entry === 'string') {
      if (placesOf(entry) !== placesOf(key)) add(`"${key}" has other places`)
    } else checkForms(key, entry, forms, add)
  }
  for (const key of Object.keys(catalogue)) if (!known.has(key)) add(`nothing uses "${key}"`)
  return faults
}

function checkForms(
  key: string,
  entry: Readonly<Record<string, string>>,
  forms: readonly string[],
  add: (message: string) => void,
): void {
  if (Object.keys(entry).sort().join() !== [...forms].sort().join())
    add(`"${key}" has not the forms ${forms.join(', ')}`)
  // One and two may be said without their number.
  for (const text of Object.values(entry))
    if (
      placesOf(text).replace('{count}', '').trim() !== placesOf(key).replace('{count}', '').trim()
    )
      add(`"${key}" has other places`)
}
