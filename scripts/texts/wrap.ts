/** Puts the texts of a page into `t('…')` and `rich('…')`. Texts that are in one stay as they are. */
import type { Source } from '../tidy/source.ts'
import { TEXT_KEYS } from './keys.ts'
import {
  childrenOf,
  hasWords,
  isInline,
  isNode,
  jsxText,
  nameOfExpression,
  nameOfTag,
  parseTree,
  stringOf,
  type Node,
} from './read.ts'

/** Other attributes hold words of HTML. */
const HOLDS_TEXT =
  /^(?!class$|href$|id$|d$|rel$|data-(?!said)|aria-(?!label|desc|role|value)|name$|type$|variant$|icon$|tone$|autocomplete$|width$|viewBox$|action$)/

/** Elements whose text is code. */
const CODE_ELEMENTS = /^(?:code|kbd|pre|samp|var)$/

/** Commands and samples. */
const IS_CODE = /^(?:git|hearth|ssh-keygen|const) |^https:\/\/$|^XXXX/

type Edit = { readonly start: number; readonly end: number; readonly make: () => string }

/** Calls whose arguments are no texts of pages. */
const FOREIGN_CALLS =
  /^(?:t|tn|rich|richn|msg|texts|localized|plural|Error|TypeError|RangeError|includes|startsWith|endsWith|split|join|set|get|has|all|text|optional|list|ticked|append|test|replace|replaceAll|match|searchParams\.\w+|fieldError|formError|assetPath|hmacSha256|info|warn|error|debug)$/

const quote = (text: string): string =>
  text.includes("'") && !text.includes('"')
    ? JSON.stringify(text)
    : `'${text.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n')}'`

/** A template under construction: its text, and the source of its values by name. */
class Template {
  text = ''
  readonly values = new Map<string, string>()

  /** A name for a value. Equal sources share one. */
  name(wanted: string, source: string): string {
    const clean = wanted.replace(/\W/g, '') || 'value'
    for (let number = 1; ; number++) {
      const name = number === 1 ? clean : `${clean}${number}`
      const known = this.values.get(name)
      if (known !== undefined && known !== source) continue
      this.values.set(name, source)
      return name
    }
  }

  /** The arguments of the call. */
  get source(): string {
    if (this.values.size === 0) return quote(this.text)
    const values = [...this.values].map(([name, source]) =>
      name === source ? name : `${name}: ${source}`,
    )
    return `${quote(this.text)}, { ${values.join(', ')} }`
  }
}

class Wrapper {
  readonly #edits: Edit[] = []
  readonly #used = new Set<string>()
  /** Places whose texts need a person: braces or tags in a text. */
  readonly left: { readonly start: number; readonly why: string }[] = []

  constructor(private readonly source: Source) {}

  run(): string {
    const { text } = this.source
    const tree = parseTree(this.source)
    this.#visit(tree, 0)
    let wrapped = this.#render(0, text.length)
    const missing = [...this.#used].filter(
      (name) =>
        !new RegExp(`import \\{[^}]*\\b${name}\\b[^}]*\\} from '[./]*text\\.ts'`).test(text),
    )
    if (missing.length > 0) wrapped = addImport(this.source.file, wrapped, missing)
    return wrapped
  }

  #slice(node: Node): string {
    return this.source.text.slice(node.start, node.end)
  }

  /** The source from one place to another, with the edits within. */
  #render(start: number, end: number): string {
    const { text } = this.source
    let out = ''
    let at = start
    const inside = this.#edits
      .filter((edit) => edit.start >= start && edit.end <= end)
      .sort((a, b) => a.start - b.start || b.end - a.end)
    for (const edit of inside) {
      if (edit.start < at) continue
      out += text.slice(at, edit.start)
      at = edit.end
      this.#edits.splice(this.#edits.indexOf(edit), 1)
      out += edit.make()
      this.#edits.push(edit)
    }
    return out + text.slice(at, end)
  }

  #edit(start: number, end: number, make: () => string): void {
    this.#edits.push({ start, end, make })
  }

  #visit(node: Node, depth: number): void {
    if (
      node.type === 'ImportDeclaration' ||
      node.type.startsWith('TSType') ||
      node.type === 'TSInterfaceDeclaration'
    )
      return
    if (node.type === 'CallExpression' || node.type === 'NewExpression') {
      if (this.#visitCall(node, depth)) return
    }
    if (node.type === 'JSXElement' || node.type === 'JSXFragment') this.#children(node)
    if (node.type === 'JSXAttribute') {
      if (!HOLDS_TEXT.test(this.#slice(node.name as Node))) return
      this.#attribute(node)
    }
    if (node.type === 'Property' && depth > 0) {
      const key = node.key as Node
      const name = String(key.name ?? key.value ?? '')
      if (TEXT_KEYS.has(name)) this.#expression(node.value as Node)
    }
    if (depth > 0) this.#sentence(node)
    const isFunction = /Function/.test(node.type)
    for (const child of childrenOf(node)) this.#visit(child, depth + (isFunction ? 1 : 0))
  }

  /** Whether the call is done. Values of texts are visited, texts are not. */
  #visitCall(node: Node, depth: number): boolean {
    const callee = this.#slice(node.callee as Node).replace(/^.*\./s, '')
    if (!FOREIGN_CALLS.test(callee)) return false
    if (callee === 'texts' || callee === 'localized') return true
    if (callee === 'plural' && this.#plural(node)) return true
    for (const argument of node.arguments as Node[])
      if (stringOf(argument) === null && argument.type !== 'TemplateLiteral')
        this.#visit(argument, depth)
    this.#visit(node.callee as Node, depth)
    return true
  }

  /** `plural(n, 'file')` becomes `tn('{count} file', '{count} files', n)`. */
  #plural(node: Node): boolean {
    const [amount, word, many] = node.arguments as Node[]
    const one = word && stringOf(word)
    if (!amount || !one) return false
    const other = (many && stringOf(many)) ?? `${one}s`
    this.#edit(node.start, node.end, () => {
      this.#used.add('tn')
      const count = this.#render(amount.start, amount.end)
      return `tn(${quote(`{count} ${one}`)}, ${quote(`{count} ${other}`)}, ${count})`
    })
    return true
  }

  /** Strings in functions that are sentences, wherever they stand. */
  #sentence(node: Node): void {
    const strings: Node[] =
      node.type === 'ConditionalExpression'
        ? [node.consequent as Node, node.alternate as Node]
        : node.type === 'ReturnStatement' && isNode(node.argument)
          ? [node.argument]
          : node.type === 'ArrowFunctionExpression'
            ? [node.body as Node]
            : node.type === 'LogicalExpression'
              ? [node.right as Node]
              : node.type === 'CallExpression' || node.type === 'NewExpression'
                ? (node.arguments as Node[])
                : node.type === 'ArrayExpression'
                  ? (node.elements as Node[]).filter(isNode)
                  : []
    for (const one of strings) {
      const words =
        stringOf(one) ??
        (one.type === 'TemplateLiteral'
          ? (one.quasis as { value: { cooked: string } }[])
              .map(({ value }) => value.cooked)
              .join('0')
          : '')
      if (/^\p{Lu}[\p{L}’']*(?: \p{Ll}|[.?!]$|: )|^\p{Ll}+(?: \p{Ll}{2,}){2}.*[.?!]?$/u.test(words))
        this.#expression(one)
    }
  }

  #attribute(node: Node): void {
    const name = this.#slice(node.name as Node)
    const value = node.value as Node | null
    if (!TEXT_KEYS.has(name) || value === null) return
    if (value.type === 'Literal') {
      const text = String(value.value)
      if (hasWords(text)) this.#edit(value.start, value.end, () => `{${this.#t(text)}}`)
    } else if (value.type === 'JSXExpressionContainer') {
      this.#expression(value.expression as Node)
    }
  }

  /** Wraps the strings that an expression may be. */
  #expression(node: Node): void {
    if (this.#edits.some((edit) => edit.start === node.start && edit.end === node.end)) return
    if (node.type === 'ConditionalExpression') {
      this.#expression(node.consequent as Node)
      this.#expression(node.alternate as Node)
    } else if (node.type === 'LogicalExpression') {
      this.#expression(node.right as Node)
    } else if (node.type === 'ParenthesizedExpression') {
      this.#expression(node.expression as Node)
    } else if (node.type === 'TemplateLiteral' || stringOf(node) !== null) {
      this.#string(node)
    }
  }

  #string(node: Node): void {
    const plain = stringOf(node)
    if (plain !== null) {
      if (!hasWords(plain) || IS_CODE.test(plain) || this.#isStrange(plain, node)) return
      const [before, words, after] = edges(plain)
      this.#edit(node.start, node.end, () =>
        before || after ? `\`${before}\${${this.#t(words)}}${after}\`` : this.#t(words),
      )
      return
    }
    const quasis = (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked)
    if (
      !hasWords(quasis.join(' ')) ||
      IS_CODE.test(quasis[0] ?? '') ||
      this.#isStrange(quasis.join(''), node)
    )
      return
    this.#edit(node.start, node.end, () => {
      const template = new Template()
      for (const [index, quasi] of quasis.entries()) {
        template.text += quasi
        const expression = (node.expressions as Node[])[index]
        if (!expression) continue
        const source = this.#render(expression.start, expression.end)
        template.text += `{${template.name(nameOfExpression(expression), source)}}`
      }
      this.#used.add('t')
      return `t(${template.source})`
    })
  }

  #isStrange(text: string, node: Node): boolean {
    if (!/[{}<>]/.test(text)) return false
    this.left.push({ start: node.start, why: text })
    return true
  }

  #t(text: string): string {
    this.#used.add('t')
    return `t(${quote(text)})`
  }

  #children(node: Node): void {
    const { text } = this.source
    if (node.type === 'JSXElement' && CODE_ELEMENTS.test(nameOfTag(node, text))) return
    for (const child of node.children as Node[])
      if (child.type === 'JSXExpressionContainer') this.#expression(child.expression as Node)
    let run: Node[] = []
    const flush = (): void => {
      this.#wrapRun(run)
      run = []
    }
    for (const child of node.children as Node[]) {
      if (child.type === 'JSXText' || isInline(child, text)) run.push(child)
      else flush()
    }
    flush()
  }

  /** One sentence: texts with the elements and values between them. */
  #wrapRun(children: Node[]): void {
    const run = [...children]
    const hasText = (child: Node): boolean =>
      child.type === 'JSXText' && hasWords(jsxText(child.value as string))
    if (!run.some(hasText)) return
    const isBlank = (child: Node | undefined): boolean =>
      child !== undefined && child.type === 'JSXText' && jsxText(child.value as string) === ''
    while (isBlank(run[0])) run.shift()
    while (isBlank(run.at(-1))) run.pop()
    const [first] = run
    const last = run.at(-1)
    if (first?.type === 'JSXText' && IS_CODE.test(`${jsxText(first.value as string)} `)) return
    if (!first || !last) return
    if (run.some((child) => child.type === 'JSXText' && /[{}<>]/.test(child.value as string))) {
      this.left.push({ start: first.start, why: this.#slice(first) })
      return
    }
    this.#edit(first.start, last.end, () => {
      const template = new Template()
      this.#template(run, template)
      const [before, words, after] = edges(template.text)
      template.text = words
      const isRich = template.values.size > 0
      this.#used.add(isRich ? 'rich' : 't')
      const call = `{${isRich ? 'rich' : 't'}(${template.source})}`
      const space = (edge: string): string => (edge === '' ? '' : `{${quote(edge)}}`)
      return `${space(before)}${call}${space(after)}`
    })
  }

  #template(run: readonly Node[], template: Template): void {
    for (const child of run) {
      if (child.type === 'JSXText') {
        template.text += decode(jsxText(child.value as string))
        continue
      }
      const expression = child.type === 'JSXExpressionContainer' ? (child.expression as Node) : null
      const plain = expression && stringOf(expression)
      if (plain !== null && plain !== undefined && !/[{}<>]/.test(plain)) {
        template.text += plain
        continue
      }
      if (expression) {
        const source = this.#render(expression.start, expression.end)
        template.text += `{${template.name(nameOfExpression(expression), source)}}`
        continue
      }
      this.#element(child, template)
    }
  }

  /** An element with words becomes `<a>words</a>`, another one `{code}`. */
  #element(node: Node, template: Template): void {
    const { text } = this.source
    const children = node.children as Node[]
    const tag = nameOfTag(node, text)
    const isSentence =
      children.every(
        (child) =>
          child.type === 'JSXText' ||
          (child.type === 'JSXExpressionContainer' && isInline(child, text)),
      ) &&
      children.some((child) => child.type === 'JSXText' && hasWords(jsxText(child.value as string)))
    if (!isSentence || CODE_ELEMENTS.test(tag)) {
      const source = this.#render(node.start, node.end)
      const code = children.length === 1 ? (children[0] as Node) : null
      const wanted =
        code?.type === 'JSXExpressionContainer'
          ? nameOfExpression(code.expression as Node)
          : tag === 'RelativeTime'
            ? 'time'
            : tag === 'ActorLink'
              ? 'actor'
              : tag.toLowerCase()
      template.text += `{${template.name(wanted, source)}}`
      return
    }
    const opening = node.openingElement as Node
    const source = `(inner) => ${this.#render(opening.start, opening.end)}{inner}</${tag}>`
    const name = template.name(tag, source)
    const inner = new Template()
    for (const [key, value] of template.values) inner.values.set(key, value)
    this.#template(children, inner)
    for (const [key, value] of inner.values) template.values.set(key, value)
    template.text += `<${name}>${inner.text}</${name}>`
  }
}

const decode = (text: string): string =>
  text.replaceAll('&nbsp;', '\u00a0').replaceAll('&amp;', '&')

/** White space at the ends is no part of a text. */
function edges(text: string): [string, string, string] {
  const before = /^\s*/.exec(text)?.[0] ?? ''
  const rest = text.slice(before.length)
  const words = rest.trimEnd()
  return [before, words, rest.slice(words.length)]
}

function addImport(file: string, text: string, names: readonly string[]): string {
  const depth = file.split('/').length - 2
  const path = `${depth === 0 ? './' : '../'.repeat(depth)}text.ts`
  const known = new RegExp(`import \\{([^}]*)\\} from '${path.replaceAll('.', '\\.')}'`)
  const found = known.exec(text)
  if (found) {
    const all = [...new Set([...(found[1] ?? '').split(',').map((name) => name.trim()), ...names])]
    return text.replace(known, `import { ${all.filter(Boolean).sort().join(', ')} } from '${path}'`)
  }
  const statement = `import { ${[...names].sort().join(', ')} } from '${path}'\n`
  const imports = [...text.matchAll(/^(?:import [^\n]*|\} from '[^\n]*)\n/gm)]
  const last = imports.filter(({ 0: line }) => / from '/.test(line)).at(-1)
  if (!last) return statement + text
  const at = last.index + last[0].length
  return text.slice(0, at) + statement + text.slice(at)
}

export function wrap(source: Source): { text: string; left: Wrapper['left'] } {
  const wrapper = new Wrapper(source)
  return { text: wrapper.run(), left: wrapper.left }
}
