/**
 * YAML as nodes that know their place, read by the `yaml` package. Aliases are resolved here, within
 * a limit on the number of nodes: nested aliases make 300 bytes into billions of values.
 */
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Document,
  type ScalarTag,
} from 'yaml'
import { scalarText, type Json } from './json.ts'

type Place = { readonly line: number; readonly column: number }
export type Entry = { readonly key: string; readonly at: Place; readonly value: YamlNode }
export type YamlNode = Place &
  (
    | { readonly kind: 'scalar'; readonly value: null | boolean | number | string }
    | { readonly kind: 'list'; readonly items: readonly YamlNode[] }
    | { readonly kind: 'mapping'; readonly entries: readonly Entry[] }
  )

export type Fault = Place & { readonly text: string }

/** With all aliases resolved. A file of 256 KB without aliases has up to 130,000. */
const MAX_NODES = 150_000
const MAX_DEPTH = 100

class DocumentFault extends Error {
  constructor(
    message: string,
    readonly place: Place,
  ) {
    super(message)
  }
}

type Reading = {
  readonly document: Document
  readonly lines: LineCounter
  readonly open: Set<unknown>
  nodes: number
}

const SPECIAL_FLOATS: Readonly<Record<string, number>> = {
  '.inf': Infinity,
  '+.inf': Infinity,
  '-.inf': -Infinity,
  '.nan': NaN,
}

/** `!!float 1`: the package takes a value under such a tag only in the form that prints it. */
const EXPLICIT_TAGS = (['float', 'int'] as const).map(
  (name): ScalarTag => ({
    tag: `tag:yaml.org,2002:${name}`,
    resolve: (text, onError) => {
      const special = name === 'float' ? SPECIAL_FLOATS[text.toLowerCase()] : undefined
      const value = special ?? Number(text)
      if (special === undefined && (text.trim() === '' || Number.isNaN(value)))
        onError(`The value '${text}' is no ${name}`)
      return value
    },
  }),
)

/** The root of the first document, or the first fault of the YAML. */
export function readYaml(text: string): { root: YamlNode } | { fault: Fault } {
  const lines = new LineCounter()
  const document = parseDocument(text, {
    lineCounter: lines,
    // The judge compares keys without regard to case.
    uniqueKeys: false,
    version: '1.2',
    schema: 'core',
    merge: false,
    prettyErrors: false,
    customTags: (tags) => [...tags, ...EXPLICIT_TAGS],
  })
  // `[a]# comment` is read by GitHub.
  const errors = document.errors.filter(
    ({ message }) => !message.startsWith('Comments must be separated'),
  )
  const [error] = [...errors, ...document.warnings]
  if (error) return { fault: { ...placeAt(lines, error.pos[0]), text: firstLine(error.message) } }
  const reading = { document, lines, open: new Set<unknown>(), nodes: 0 }
  try {
    return { root: readNode(reading, document.contents, { line: 1, column: 1 }, 0) }
  } catch (fault) {
    if (fault instanceof DocumentFault)
      return { fault: { ...fault.place, text: firstLine(fault.message) } }
    throw fault
  }
}

export const firstLine = (text: string): string =>
  (text.trim().split('\n')[0] ?? '').trim().slice(0, 500)

function placeAt(lines: LineCounter, offset: number): Place {
  const { line, col } = lines.linePos(offset)
  return { line: Math.max(line, 1), column: Math.max(col, 1) }
}

function placeOf(reading: Reading, node: unknown, fallback: Place): Place {
  const start = (node as { range?: readonly number[] | null } | null)?.range?.[0]
  return start === undefined ? fallback : placeAt(reading.lines, start)
}

function readNode(reading: Reading, node: unknown, near: Place, depth: number): YamlNode {
  const place = placeOf(reading, node, near)
  if (++reading.nodes > MAX_NODES)
    throw new DocumentFault(`The file has more than ${MAX_NODES} values`, place)
  if (depth > MAX_DEPTH) throw new DocumentFault('The file is nested too deep', place)
  if (isAlias(node)) return readAlias(reading, node, place, depth)
  if (isSeq(node)) {
    const items = node.items.map((item) => readNode(reading, item, place, depth + 1))
    return { ...place, kind: 'list', items }
  }
  if (isMap(node)) {
    const entries = node.items.map(({ key, value }): Entry => {
      const at = placeOf(reading, key, place)
      return { key: readKey(reading, key, at), at, value: readNode(reading, value, at, depth + 1) }
    })
    return { ...place, kind: 'mapping', entries }
  }
  return { ...place, kind: 'scalar', value: readScalar(node, place) }
}

function readAlias(reading: Reading, node: unknown, place: Place, depth: number): YamlNode {
  const target = isAlias(node) ? node.resolve(reading.document) : undefined
  if (!target) throw new DocumentFault('The alias has no anchor before it', place)
  if (reading.open.has(target)) throw new DocumentFault('The alias is within its own anchor', place)
  reading.open.add(target)
  const value = readNode(reading, target, place, depth + 1)
  reading.open.delete(target)
  return value
}

function readKey(reading: Reading, key: unknown, at: Place): string {
  const scalar = isAlias(key) ? key.resolve(reading.document) : key
  if (!isScalar(scalar)) throw new DocumentFault('A key is text', at)
  if (scalar.value === '<<' && scalar.type === 'PLAIN')
    throw new DocumentFault('Merge keys (<<) are not supported; anchors and aliases are', at)
  return scalarText(readScalar(scalar, at))
}

function readScalar(node: unknown, place: Place): null | boolean | number | string {
  const value = isScalar(node) ? node.value : node
  if (value === undefined || value === null) return null
  if (typeof value === 'bigint') return Number(value)
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value
  throw new DocumentFault('The value is of a kind that workflows do not have', place)
}

/** The value of a key; undefined when the node is no mapping or has no such key. */
export const entryOf = (node: YamlNode | undefined, key: string): Entry | undefined =>
  node?.kind === 'mapping' ? node.entries.find((entry) => entry.key === key) : undefined

export const valueOf = (node: YamlNode | undefined, key: string): YamlNode | undefined =>
  entryOf(node, key)?.value

export function toJson(node: YamlNode | undefined): Json {
  if (!node) return null
  if (node.kind === 'scalar') return node.value
  if (node.kind === 'list') return node.items.map(toJson)
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, toJson(value)]))
}

/** The texts of a list, or of a single scalar. */
export function textsOf(node: YamlNode | undefined): string[] {
  if (!node) return []
  if (node.kind === 'scalar') return node.value === null ? [] : [scalarText(node.value)]
  return node.kind === 'list' ? node.items.flatMap(textsOf) : []
}

export const textOf = (node: YamlNode | undefined): string | null =>
  node?.kind === 'scalar' && node.value !== null ? scalarText(node.value) : null

export const entriesOf = (node: YamlNode | undefined): readonly Entry[] =>
  node?.kind === 'mapping' ? node.entries : []
