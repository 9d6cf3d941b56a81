/** Strings of pages that look like texts and are not in `t(…)`, wherever they stand. */
import { lineAt, type Fault, type Source } from '../tidy/source.ts'
import { SPEAKERS } from './messages.ts'
import { childrenOf, parseTree, stringOf, type Node } from './read.ts'

/** A capital letter and small ones, or words between spaces. */
const LOOKS_LIKE_TEXT = /^\p{Lu}\p{Ll}+(?:$|[ .,:?!…])|\p{Ll}{2} \p{Ll}{2}/u

/** Calls whose strings nobody reads on a page, or which translate them. */
const NO_TEXTS =
  /^(?:t|tn|rich|richn|texts|localized|translated|Error|TypeError|RangeError|Set|RegExp|raw|header|set|append|get|has|startsWith|endsWith|includes|test|log|warn|info|error|debug|querySelector|t0)$/

/** Attributes and properties whose strings are for browsers and the server. */
const TECHNICAL =
  /^(?:class|className|id|href|action|name|type|rel|d|key|code|src|variant|icon|tone|what|autocomplete|viewBox|method|enctype|sizes|media|role|lang|http-equiv|content-type|cache-control|vary|accept|pattern|for|form|value|rows|headers|transform|points|style|data-(?!said|confirm)[\w-]+|aria-(?:hidden|controls|labelledby|describedby|current|expanded|live|pressed))$/

/**
 * Files in one language: rendered Markdown is shared by readers of all languages, English times are
 * written by hand, feeds, patches and badges are for programs and other sites.
 */
const ENGLISH_FILES =
  /^web\/(?:markdown|relative|crawlers)\b|^web\/pages\/(?:notifications\/atom|code\/patch|runs\/badge)\.ts$/

/** Commands and contents of files. */
const COMMANDS =
  /^(?:- run:|--event|git|hearth|cd|const|echo|\{\}\n|default-src|base-uri|lazy block|ar bg) ?/

/** Names that are the same in every language, and words of HTML. */
const NAMES: ReadonlySet<string> = new Set([
  'Android',
  'Chrome',
  'Edge',
  'Firefox',
  'Hearth',
  'Linux',
  'Opera',
  'Safari',
  'Windows',
  'author:ada label:bug',
  // Proposed messages of commits: the history of a repository has one language.
  'Add {}',
  'Delete {}',
  'Rename {} to {}',
  'Update {}',
  'is:open is:pr',
  'light dark',
])

/** The strays of a file. */
export function findStrays(source: Source): Fault[] {
  const faults: Fault[] = []
  if (ENGLISH_FILES.test(source.file)) return faults
  const add = (node: Node, whole: string): void => {
    const text = whole.replace(/<[^>]*>/g, '').trim()
    if (!LOOKS_LIKE_TEXT.test(text) || COMMANDS.test(text) || NAMES.has(text)) return
    faults.push({
      file: source.file,
      line: lineAt(source.text, node.start),
      message: `"${text}" is not in t(…)`,
    })
  }
  const visit = (node: Node): void => {
    if (/^(?:Import|Export(?:All)|TS)/.test(node.type) && node.type !== 'TSAsExpression') {
      if (node.type !== 'TSSatisfiesExpression' && node.type !== 'TSNonNullExpression') return
    }
    if (node.type === 'CallExpression' || node.type === 'NewExpression') {
      const callee = node.callee as Node
      const name = String(callee.name ?? (callee.property as Node | undefined)?.name ?? '')
      if (SPEAKERS.test(name)) return
      if (NO_TEXTS.test(name)) {
        // Values of a sentence may hold texts of their own.
        if (/^(?:t|tn|rich|richn)$/.test(name)) for (const one of valuesOf(node)) visit(one)
        return
      }
    }
    if (node.type === 'BinaryExpression' && /^[!=]==?$/.test(node.operator as string)) return
    if (node.type === 'SwitchCase') {
      for (const one of node.consequent as Node[]) visit(one)
      return
    }
    if (node.type === 'JSXAttribute' || node.type === 'Property') {
      const key = (node.name ?? node.key) as Node
      const name = String(key.name ?? key.value ?? '')
      if (TECHNICAL.test(name)) return
      if (node.type === 'Property' && node.value) return visit(node.value as Node)
    }
    if (node.type === 'JSXText') return add(node, String(node.value).trim())
    if (node.type === 'TemplateLiteral') {
      const quasis = node.quasis as { value: { cooked: string } }[]
      add(node, quasis.map(({ value }) => value.cooked).join('{}'))
      for (const one of node.expressions as Node[]) visit(one)
      return
    }
    const text = stringOf(node)
    if (text !== null) return add(node, text)
    for (const child of childrenOf(node)) visit(child)
  }
  visit(parseTree(source))
  return faults
}

const valuesOf = (call: Node): Node[] =>
  (call.arguments as Node[]).filter((one) => one.type === 'ObjectExpression')
