/**
 * Translates regular expressions of Go (RE2) into JavaScript over bytes as Latin-1: every character
 * and class is written as the set of its bytes, so that flags, Unicode and the different meanings of
 * `\s` and `.` play no part. Also tells how long a match can be and what it must contain.
 */

type Bytes = ReadonlySet<number>
export type Node =
  | { readonly kind: 'bytes'; readonly bytes: Bytes }
  | { readonly kind: 'zero'; readonly js: string }
  | { readonly kind: 'sequence'; readonly nodes: readonly Node[] }
  | { readonly kind: 'choice'; readonly nodes: readonly Node[] }
  | { readonly kind: 'group'; readonly captures: boolean; readonly node: Node }
  | {
      readonly kind: 'repeat'
      readonly node: Node
      readonly min: number
      readonly max: number
      readonly lazy: boolean
    }
type Flags = { readonly i: boolean; readonly s: boolean; readonly m: boolean }

export type TranslatedPattern = {
  readonly source: string
  readonly node: Node
  /** The most bytes of a match; Infinity when there is no bound. */
  readonly maxBytes: number
  /** Whether every match contains one of the words, letters folded. */
  contains(words: readonly string[]): boolean
  /** The shortest literal that the secret of every match begins with; '' when it begins with none. */
  readonly secretPrefix: string
}

const ALL: Bytes = new Set(Array.from({ length: 256 }, (_, byte) => byte))
const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at)
const code = (character: string): number => character.charCodeAt(0)
const DIGITS = range(code('0'), code('9'))
const LOWER = range(code('a'), code('z'))
const UPPER = range(code('A'), code('Z'))
const WORD = [...DIGITS, ...LOWER, ...UPPER, code('_')]
const SPACE = [9, 10, 12, 13, 32]
const complement = (bytes: Iterable<number>): number[] => {
  const set = new Set(bytes)
  return [...ALL].filter((byte) => !set.has(byte))
}
const CLASSES: Readonly<Record<string, readonly number[]>> = {
  d: DIGITS,
  D: complement(DIGITS),
  w: WORD,
  W: complement(WORD),
  s: SPACE,
  S: complement(SPACE),
}
const POSIX: Readonly<Record<string, readonly number[]>> = {
  alnum: [...DIGITS, ...LOWER, ...UPPER],
  alpha: [...LOWER, ...UPPER],
  digit: DIGITS,
  lower: LOWER,
  upper: UPPER,
  space: [...SPACE, 11],
  word: WORD,
  xdigit: [...DIGITS, ...range(code('a'), code('f')), ...range(code('A'), code('F'))],
  punct: [...range(33, 47), ...range(58, 64), ...range(91, 96), ...range(123, 126)],
}
const CONTROLS: Readonly<Record<string, number>> = { a: 7, f: 12, t: 9, n: 10, r: 13, v: 11 }

const fold = (bytes: Iterable<number>): Bytes => {
  const folded = new Set(bytes)
  for (const byte of bytes) {
    if (byte >= 65 && byte <= 90) folded.add(byte + 32)
    if (byte >= 97 && byte <= 122) folded.add(byte - 32)
  }
  return folded
}

class Parser {
  private at = 0
  constructor(private readonly text: string) {}

  parse(): Node {
    const { node } = this.choice({ i: false, s: false, m: false })
    if (this.at < this.text.length) throw new Error(`unexpected ${this.rest()}`)
    return node
  }

  private rest = (): string => this.text.slice(this.at, this.at + 20)
  private peek = (text: string): boolean => this.text.startsWith(text, this.at)
  private take(text: string): boolean {
    if (!this.peek(text)) return false
    this.at += text.length
    return true
  }

  /** Flags that are set in the middle hold to the end of the group, over alternatives. */
  private choice(flags: Flags): { node: Node } {
    const nodes: Node[] = []
    let inner = flags
    do {
      const { node, flags: after } = this.sequence(inner)
      nodes.push(node)
      inner = after
    } while (this.take('|'))
    const [only] = nodes
    return { node: nodes.length === 1 && only ? only : { kind: 'choice', nodes } }
  }

  private sequence(flags: Flags): { node: Node; flags: Flags } {
    const nodes: Node[] = []
    let inner = flags
    while (this.at < this.text.length && !this.peek('|') && !this.peek(')')) {
      const set = /^\(\?([ims]*)(?:-([ims]+))?\)/.exec(this.text.slice(this.at))
      if (set) {
        this.at += set[0].length
        inner = withFlags(inner, set[1] ?? '', set[2] ?? '')
        continue
      }
      nodes.push(...this.quantified(this.atom(inner)))
    }
    return { node: { kind: 'sequence', nodes }, flags: inner }
  }

  private quantified(nodes: readonly Node[]): Node[] {
    const last = nodes.at(-1)
    if (last === undefined) return []
    const counted = /^\{(\d+)(?:(,)(\d*))?\}/.exec(this.text.slice(this.at))
    let bounds: [number, number] | null = null
    if (counted) {
      this.at += counted[0].length
      const min = Number(counted[1])
      bounds = [min, counted[2] ? (counted[3] ? Number(counted[3]) : Infinity) : min]
    } else if (this.take('*')) bounds = [0, Infinity]
    else if (this.take('+')) bounds = [1, Infinity]
    else if (this.take('?')) bounds = [0, 1]
    if (bounds === null) return [...nodes]
    const [min, max] = bounds
    return [...nodes.slice(0, -1), { kind: 'repeat', node: last, min, max, lazy: this.take('?') }]
  }

  private atom(flags: Flags): Node[] {
    if (this.take('(')) return [this.group(flags)]
    if (this.take('[')) return [this.set(flags)]
    if (this.take('.')) return [bytesNode(flags.s ? ALL : complement([10]))]
    if (this.take('^')) return [zero(flags.m ? '(?<![^\\n])' : '(?<![^])')]
    if (this.take('$')) return [zero(flags.m ? '(?![^\\n])' : '(?![^])')]
    if (this.take('\\')) return [this.escape(flags)]
    const character = String.fromCodePoint(this.text.codePointAt(this.at) ?? 0)
    this.at += character.length
    return [...Buffer.from(character)].map((byte) => literal(byte, flags))
  }

  private group(flags: Flags): Node {
    let inner = flags
    let captures = true
    const head = /^\?(?:P?<[A-Za-z_]\w*>|([ims]*)(?:-([ims]+))?:)/.exec(this.text.slice(this.at))
    if (head) {
      this.at += head[0].length
      captures = head[0].includes('<')
      if (!captures) inner = withFlags(flags, head[1] ?? '', head[2] ?? '')
    } else if (this.peek('?')) throw new Error(`unknown group ${this.rest()}`)
    const { node } = this.choice(inner)
    if (!this.take(')')) throw new Error('a group without an end')
    return { kind: 'group', captures, node }
  }

  private escape(flags: Flags): Node {
    const hex = this.hex()
    if (hex !== null) return literal(hex, flags)
    const character = this.text[this.at++] ?? ''
    if (character === 'b' || character === 'B') return zero(`\\${character}`)
    if (character === 'z') return zero('(?![^])')
    if (character === 'A') return zero('(?<![^])')
    const known = CLASSES[character]
    if (known) return bytesNode(known)
    const control = CONTROLS[character]
    if (control !== undefined) return bytesNode([control])
    if (/[A-Za-z0-9]/.test(character)) throw new Error(`unknown escape \\${character}`)
    return literal(code(character), flags)
  }

  private hex(): number | null {
    const found = /^x(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{2}))/.exec(this.text.slice(this.at))
    if (!found) return null
    this.at += found[0].length
    const value = Number.parseInt(found[1] ?? found[2] ?? '', 16)
    if (value > 127) throw new Error(`no ASCII: ${found[0]}`)
    return value
  }

  private set(flags: Flags): Node {
    const negated = this.take('^')
    const bytes = new Set<number>()
    let first = true
    while (first || !this.peek(']')) {
      first = false
      const posix = /^\[:(\w+):\]/.exec(this.text.slice(this.at))
      if (posix) {
        this.at += posix[0].length
        for (const byte of POSIX[posix[1] ?? ''] ?? []) bytes.add(byte)
        continue
      }
      const from = this.setItem()
      if (typeof from !== 'number') for (const byte of from) bytes.add(byte)
      else if (this.peek('-') && this.text[this.at + 1] !== ']') {
        this.at++
        const to = this.setItem()
        if (typeof to !== 'number') throw new Error('a range that ends in a class')
        for (const byte of range(from, to)) bytes.add(byte)
      } else bytes.add(from)
    }
    this.at++
    const folded = flags.i ? fold(bytes) : bytes
    return bytesNode(negated ? complement(folded) : folded)
  }

  private setItem(): number | readonly number[] {
    if (!this.take('\\')) {
      const character = this.text[this.at++] ?? ''
      if (character === '' || code(character) > 127) throw new Error('a class without an end')
      return code(character)
    }
    const hex = this.hex()
    if (hex !== null) return hex
    const character = this.text[this.at++] ?? ''
    return CLASSES[character] ?? CONTROLS[character] ?? code(character)
  }
}

const withFlags = (flags: Flags, on: string, off: string): Flags => ({
  i: (flags.i || on.includes('i')) && !off.includes('i'),
  s: (flags.s || on.includes('s')) && !off.includes('s'),
  m: (flags.m || on.includes('m')) && !off.includes('m'),
})
const zero = (js: string): Node => ({ kind: 'zero', js })
const bytesNode = (bytes: Iterable<number>): Node => ({ kind: 'bytes', bytes: new Set(bytes) })
const literal = (byte: number, { i }: Flags): Node => bytesNode(i ? fold([byte]) : [byte])

const escapeByte = (byte: number): string =>
  /[0-9A-Za-z_]/.test(String.fromCharCode(byte))
    ? String.fromCharCode(byte)
    : byte >= 33 && byte <= 126
      ? `\\${String.fromCharCode(byte)}`
      : byte === 32
        ? ' '
        : `\\x${byte.toString(16).padStart(2, '0')}`

function printBytes(bytes: Bytes): string {
  const [only] = bytes
  if (bytes.size === 1 && only !== undefined) return escapeByte(only)
  if (bytes.size === 256) return '[^]'
  const printed = (set: Bytes): string => {
    let text = ''
    for (let byte = 0; byte < 256; byte++) {
      if (!set.has(byte)) continue
      let end = byte
      while (set.has(end + 1)) end++
      text +=
        end - byte < 2
          ? range(byte, end).map(escapeByte).join('')
          : `${escapeByte(byte)}-${escapeByte(end)}`
      byte = end
    }
    return text
  }
  return bytes.size > 128 ? `[^${printed(new Set(complement(bytes)))}]` : `[${printed(bytes)}]`
}

export function print(node: Node): string {
  switch (node.kind) {
    case 'bytes':
      return printBytes(node.bytes)
    case 'zero':
      return node.js
    case 'sequence':
      return node.nodes.map(print).join('')
    case 'choice':
      return node.nodes.map(print).join('|')
    case 'group':
      return `(${node.captures ? '' : '?:'}${print(node.node)})`
    case 'repeat': {
      const { min, max, lazy } = node
      const count =
        max === Infinity
          ? min === 0
            ? '*'
            : min === 1
              ? '+'
              : `{${min},}`
          : min === 0 && max === 1
            ? '?'
            : min === max
              ? `{${min}}`
              : `{${min},${max}}`
      const inner = print(node.node)
      const isSingle = node.node.kind === 'bytes' || node.node.kind === 'group'
      return `${isSingle ? inner : `(?:${inner})`}${count}${lazy ? '?' : ''}`
    }
  }
}

export function widest(node: Node): number {
  switch (node.kind) {
    case 'bytes':
      return 1
    case 'zero':
      return 0
    case 'sequence':
      return node.nodes.reduce((sum, inner) => sum + widest(inner), 0)
    case 'choice':
      return Math.max(...node.nodes.map(widest))
    case 'group':
      return widest(node.node)
    case 'repeat': {
      const inner = widest(node.node)
      return inner === 0 ? 0 : inner * node.max
    }
  }
}

const MAX_STRINGS = 300
/** All strings that a node matches, letters folded to lower case; null when there are too many. */
export function stringsOf(node: Node): readonly string[] | null {
  switch (node.kind) {
    case 'zero':
      return ['']
    case 'bytes': {
      const characters = new Set(
        [...node.bytes].map((byte) => String.fromCharCode(byte).toLowerCase()),
      )
      return characters.size > 16 ? null : [...characters]
    }
    case 'group':
      return stringsOf(node.node)
    case 'choice': {
      const parts = node.nodes.map(stringsOf)
      const all = parts.flatMap((part) => part ?? [])
      return parts.includes(null) || all.length > MAX_STRINGS ? null : all
    }
    case 'sequence':
      return node.nodes.reduce<readonly string[] | null>(
        (before, inner) => joined(before, stringsOf(inner)),
        [''],
      )
    case 'repeat': {
      const inner = stringsOf(node.node)
      if (inner === null || node.max > 8) return null
      let all: string[] = []
      let power: readonly string[] | null = ['']
      for (let count = 0; count <= node.max; count++) {
        if (power === null) return null
        if (count >= node.min) all = [...all, ...power]
        power = joined(power, inner)
      }
      return all.length > MAX_STRINGS ? null : all
    }
  }
}

export function joined(
  before: readonly string[] | null,
  after: readonly string[] | null,
): readonly string[] | null {
  if (before === null || after === null || before.length * after.length > MAX_STRINGS) return null
  return before.flatMap((start) => after.map((end) => start + end))
}

function mustContain(node: Node, words: readonly string[]): boolean {
  const holds = (strings: readonly string[]): boolean =>
    strings.every((text) => words.some((word) => text.includes(word)))
  switch (node.kind) {
    case 'zero':
    case 'bytes':
      return false
    case 'group':
      return mustContain(node.node, words)
    case 'choice':
      return node.nodes.every(
        (inner) => mustContain(inner, words) || holds(stringsOf(inner) ?? ['']),
      )
    case 'repeat':
      return node.min > 0 && mustContain({ kind: 'sequence', nodes: [node.node] }, words)
    case 'sequence': {
      let run: readonly string[] = ['']
      for (const inner of node.nodes) {
        if (mustContain(inner, words)) return true
        const next = joined(run, stringsOf(inner))
        run = next ?? stringsOf(inner) ?? ['']
        if (holds(run)) return true
      }
      return false
    }
  }
}

/** The first group that captures, in the order of the expression. */
function firstCapture(node: Node): Node | null {
  switch (node.kind) {
    case 'zero':
    case 'bytes':
      return null
    case 'group':
      return node.captures ? node.node : firstCapture(node.node)
    case 'repeat':
      return firstCapture(node.node)
    default:
      return node.nodes.reduce<Node | null>((found, inner) => found ?? firstCapture(inner), null)
  }
}

/** The literal that every match begins with, in its own case; '' where letters may be of any. */
function literalPrefix(node: Node): string {
  switch (node.kind) {
    case 'zero':
      return ''
    case 'bytes': {
      const [only] = node.bytes
      return node.bytes.size === 1 && only !== undefined ? String.fromCharCode(only) : ''
    }
    case 'group':
      return literalPrefix(node.node)
    case 'choice':
      return node.nodes
        .map(literalPrefix)
        .reduce((shortest, prefix) => (prefix.length < shortest.length ? prefix : shortest))
    case 'repeat':
      return node.min === 0 ? '' : literalPrefix(node.node)
    case 'sequence': {
      let prefix = ''
      for (const inner of node.nodes) {
        prefix += literalPrefix(inner)
        if (widest(inner) !== literalPrefix(inner).length) break
      }
      return prefix
    }
  }
}

export function translateGoPattern(pattern: string): TranslatedPattern {
  const node = new Parser(pattern).parse()
  return {
    source: print(node),
    node,
    maxBytes: widest(node),
    contains: (words) => mustContain({ kind: 'sequence', nodes: [node] }, words),
    secretPrefix: literalPrefix(firstCapture(node) ?? node),
  }
}
