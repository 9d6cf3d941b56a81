/**
 * Where a match can begin, from the texts that it must contain: the matcher tries an expression only
 * where one of its anchors stands, at a few positions.
 */
import { joined, print, stringsOf, widest, type Node } from './go-pattern.ts'

/** Texts in lower case, one of which stands in every match, and the most bytes before each. */
export type Anchors = ReadonlyMap<string, number>

/** A shorter text stands in too many places. */
const MIN_PREFIX = 2
const MAX_PREFIX = 6
const MAX_PREFIXES = 64
const MIN_INNER = 3
const MAX_INNER = 8

const EMPTY: Node = { kind: 'sequence', nodes: [] }

/** Of two places of one text, the one that is further from the beginning. */
function merged(all: readonly Anchors[]): Anchors {
  const result = new Map<string, number>()
  for (const anchors of all)
    for (const [text, before] of anchors) result.set(text, Math.max(result.get(text) ?? 0, before))
  return result
}

const shifted = (anchors: Anchors, bytes: number): Anchors =>
  new Map([...anchors].map(([text, before]) => [text, before + bytes]))

/** The first word in each string; null when a string has none. */
function inStrings(strings: readonly string[] | null, words: readonly string[]): Anchors | null {
  const found = new Map<string, number>()
  for (const text of strings ?? ['']) {
    const places = words
      .map((word) => ({ word, at: text.indexOf(word) }))
      .filter(({ at }) => at >= 0)
      .toSorted((a, b) => a.at - b.at)
    const [first] = places
    if (!first) return null
    found.set(first.word, Math.max(found.get(first.word) ?? 0, first.at))
  }
  return found
}

function ofWords(node: Node, words: readonly string[]): Anchors | null {
  switch (node.kind) {
    case 'zero':
    case 'bytes':
      return null
    case 'group':
      return ofWords(node.node, words)
    case 'repeat':
      return node.min > 0 ? ofWords({ kind: 'sequence', nodes: [node.node] }, words) : null
    case 'choice': {
      const parts = node.nodes.map(
        (inner) => ofWords(inner, words) ?? inStrings(stringsOf(inner), words),
      )
      return parts.includes(null) ? null : merged(parts.flatMap((part) => part ?? []))
    }
    case 'sequence':
      return ofSequence(node.nodes, words)
  }
}

function ofSequence(nodes: readonly Node[], words: readonly string[]): Anchors | null {
  let before = 0
  let run: readonly string[] = ['']
  let beforeRun = 0
  for (const node of nodes) {
    const inner = ofWords(node, words)
    if (inner && before < Infinity) return shifted(inner, before)
    const strings = stringsOf(node)
    const longer = joined(run, strings)
    if (!longer) beforeRun = strings ? before : before + widest(node)
    run = longer ?? strings ?? ['']
    const found = inStrings(run, words)
    if (found && beforeRun < Infinity) return shifted(found, beforeRun)
    before += widest(node)
  }
  return null
}

type Prefix = { readonly text: string; readonly isOpen: boolean }

/** What the matches of a node begin with. An open text is all of a match. */
function prefixesOf(node: Node): readonly Prefix[] {
  switch (node.kind) {
    case 'zero':
      return [{ text: '', isOpen: true }]
    case 'bytes':
      return (stringsOf(node) ?? ['']).map((text) => ({ text, isOpen: text !== '' }))
    case 'group':
      return prefixesOf(node.node)
    case 'choice':
      return node.nodes.flatMap(prefixesOf)
    case 'repeat': {
      const strings = stringsOf(node)
      if (strings) return strings.map((text) => ({ text, isOpen: true }))
      const inner = prefixesOf(node.node).map(({ text }) => ({ text, isOpen: false }))
      return node.min > 0 ? inner : [...inner, { text: '', isOpen: true }]
    }
    case 'sequence': {
      let all: readonly Prefix[] = [{ text: '', isOpen: true }]
      for (const inner of node.nodes) {
        const next = prefixesOf(inner)
        const longer = all.flatMap((prefix) =>
          prefix.isOpen && prefix.text.length < MAX_PREFIX
            ? next.map(({ text, isOpen }) => ({ text: prefix.text + text, isOpen }))
            : [prefix],
        )
        if (longer.length > MAX_PREFIXES) return all.map(({ text }) => ({ text, isOpen: false }))
        all = longer
      }
      return all
    }
  }
}

function ofPrefixes(node: Node): Anchors | null {
  const all = new Set(prefixesOf(node).map(({ text }) => text.slice(0, MAX_PREFIX)))
  // A text that goes on as another one is where the other one is.
  const texts = [...all].filter(
    (text) => ![...all].some((one) => one !== text && text.startsWith(one)),
  )
  return texts.every((text) => text.length >= MIN_PREFIX)
    ? new Map(texts.map((text) => [text, 0]))
    : null
}

/** A text in the middle of a sequence, so many bytes after its beginning. */
function ofInner(node: Node): Anchors | null {
  if (node.kind === 'group') return ofInner(node.node)
  if (node.kind !== 'sequence') return null
  let before = 0
  let run: readonly string[] = ['']
  let beforeRun = 0
  for (const inner of node.nodes) {
    const nested = ofInner(inner)
    if (nested && before < Infinity) return shifted(nested, before)
    const strings = stringsOf(inner)
    const longer = joined(run, strings)
    if (!longer) beforeRun = strings ? before : before + widest(inner)
    run = longer ?? strings ?? ['']
    if (
      beforeRun < Infinity &&
      run.length <= MAX_INNER &&
      run.every((one) => one.length >= MIN_INNER)
    )
      return new Map(run.map((text) => [text, beforeRun]))
    before += widest(inner)
  }
  return null
}

/** The anchors of an expression: its words where they can be, else what matches begin with or hold. */
export const anchorsOf = (node: Node, words: readonly string[]): Anchors | null =>
  ofWords({ kind: 'sequence', nodes: [node] }, words) ?? ofPrefixes(node) ?? ofInner(node)

const SEPARATORS = new Set([...'\t\n\f\r -._'].map((character) => character.charCodeAt(0)))
export const isSeparator = (node: Node): boolean =>
  node.kind === 'bytes' && [...node.bytes].every((byte) => SEPARATORS.has(byte))

/** The beginning of an expression up to what has no bound, and whether that is all of it. */
function beginningOf(node: Node): { readonly node: Node; readonly isAll: boolean } {
  switch (node.kind) {
    case 'zero':
    case 'bytes':
      return { node, isAll: true }
    case 'group': {
      const inner = beginningOf(node.node)
      return { node: { ...node, node: inner.node }, isAll: inner.isAll }
    }
    case 'choice': {
      const parts = node.nodes.map(beginningOf)
      const nodes = parts.map((part) => part.node)
      return { node: { ...node, nodes }, isAll: parts.every(({ isAll }) => isAll) }
    }
    case 'repeat': {
      if (node.max < Infinity || isSeparator(node.node)) {
        const inner = beginningOf(node.node)
        if (inner.isAll) return { node, isAll: true }
        return { node: node.min > 0 ? inner.node : EMPTY, isAll: false }
      }
      return { node: { ...node, max: node.min }, isAll: false }
    }
    case 'sequence': {
      const nodes: Node[] = []
      for (const inner of node.nodes) {
        const start = beginningOf(inner)
        nodes.push(start.node)
        if (!start.isAll) return { node: { kind: 'sequence', nodes }, isAll: false }
      }
      return { node, isAll: true }
    }
  }
}

/**
 * An expression for the beginning of every match, which ends before the first part without a bound
 * other than blanks; null where it would be the whole expression.
 */
export function beginningPattern(node: Node): string | null {
  const { node: start, isAll } = beginningOf(node)
  return isAll ? null : print(start)
}

/** The most line feeds of a match; Infinity when there is no bound. `isBlank` parts do not count. */
export function maxLines(node: Node, isBlank: (part: Node) => boolean = () => false): number {
  switch (node.kind) {
    case 'bytes':
      return node.bytes.has(10) ? 1 : 0
    case 'zero':
      return 0
    case 'sequence':
      return node.nodes.reduce((sum, inner) => sum + maxLines(inner, isBlank), 0)
    case 'choice':
      return Math.max(...node.nodes.map((inner) => maxLines(inner, isBlank)))
    case 'group':
      return maxLines(node.node, isBlank)
    case 'repeat': {
      if (node.max === Infinity && isBlank(node.node)) return 0
      const inner = maxLines(node.node, isBlank)
      return inner === 0 ? 0 : inner * node.max
    }
  }
}
