/**
 * Versions of Maven, in the order of `ComparableVersion` of Maven 3.9
 * (https://maven.apache.org/pom.html#version-order-specification).
 */
import { compareKeys, numberKey, textKey } from './sort-key.ts'

type Item = string | bigint | readonly Item[]

const MAX_LENGTH = 256
const VERSION = /^[\w.+~-]+$/
const QUALIFIERS = ['alpha', 'beta', 'milestone', 'rc', 'snapshot', '', 'sp']
const RELEASE = QUALIFIERS.indexOf('')
const ALIASES: Readonly<Record<string, string>> = { ga: '', final: '', release: '', cr: 'rc' }
const SHORT: Readonly<Record<string, string>> = { a: 'alpha', b: 'beta', m: 'milestone' }
const DIGIT = /\d/

export const isMavenVersion = (text: string): boolean =>
  text.length <= MAX_LENGTH && VERSION.test(text) && text !== '.' && text !== '..'

/** Known qualifiers in their order, then all others in that of their letters. */
function qualifierKey(qualifier: string): string {
  const place = QUALIFIERS.indexOf(qualifier)
  return place < 0 ? `${QUALIFIERS.length}-${qualifier}` : String(place)
}

const isNull = (item: Item): boolean =>
  typeof item === 'bigint'
    ? item === 0n
    : typeof item === 'string'
      ? item === ''
      : item.length === 0

/** Removes what counts as nothing at the end: zeros, release qualifiers and empty lists. */
function normalize(list: Item[]): void {
  for (let at = list.length - 1; at >= 0; at--) {
    const item = list[at] as Item
    if (isNull(item)) list.splice(at, 1)
    else if (!Array.isArray(item)) return
  }
}

const textItem = (text: string, isBeforeDigit: boolean): string => {
  const name = isBeforeDigit ? (SHORT[text] ?? text) : text
  return ALIASES[name] ?? name
}

/** Builds the nested lists: a hyphen, and a change between letters and digits, begins a list. */
class ItemLists {
  readonly lists: Item[][] = [[]]

  get current(): Item[] {
    return this.lists.at(-1) as Item[]
  }

  open(): void {
    const list: Item[] = []
    this.current.push(list)
    this.lists.push(list)
  }

  /** Text after a dot stands in a list of its own, as after a hyphen. */
  addText(text: string, isBeforeDigit: boolean): void {
    if (this.current.length > 0) this.open()
    this.current.push(textItem(text, isBeforeDigit))
  }
}

const itemOf = (text: string): Item =>
  text === '' ? 0n : DIGIT.test(text[0] ?? '') ? BigInt(text) : textItem(text, false)

/** Tokens: texts, runs of digits and separators. */
const TOKEN = /\d+|[.-]|[^\d.-]+/g

function parseItems(version: string): readonly Item[] {
  const lists = new ItemLists()
  const tokens = version.toLowerCase().match(TOKEN) ?? []
  let pending: string | null = null
  tokens.forEach((token, at) => {
    const isSeparator = token === '.' || token === '-'
    if (isSeparator) {
      lists.current.push(itemOf(pending ?? ''))
      pending = null
      if (token === '-') lists.open()
      return
    }
    const next = tokens[at + 1]
    const isLast = next === undefined
    const isBeforeSeparator = next === '.' || next === '-'
    const isNumber = DIGIT.test(token)
    if (isBeforeSeparator) pending = token
    else if (isLast && isNumber) lists.current.push(itemOf(token))
    else if (isLast) lists.addText(token, false)
    else {
      if (isNumber) lists.current.push(itemOf(token))
      else lists.addText(token, true)
      lists.open()
    }
  })
  for (const list of lists.lists.toReversed()) normalize(list)
  return lists.lists[0] ?? []
}

/** The order of an item and a missing one. */
function compareWithNothing(item: Item): number {
  if (typeof item === 'bigint') return item === 0n ? 0 : 1
  if (typeof item === 'string') return compareKeys(qualifierKey(item), String(RELEASE))
  for (const inner of item) {
    const result = compareWithNothing(inner)
    if (result !== 0) return result
  }
  return 0
}

/** Text is below a list, and a list below a number. */
const rank = (item: Item): number =>
  typeof item === 'string' ? 0 : typeof item === 'bigint' ? 2 : 1

function compareItems(a: Item | undefined, b: Item | undefined): number {
  if (a === undefined) return b === undefined ? 0 : -compareWithNothing(b)
  if (b === undefined) return compareWithNothing(a)
  if (typeof a === 'bigint' && typeof b === 'bigint') return a < b ? -1 : a > b ? 1 : 0
  if (typeof a === 'string' && typeof b === 'string')
    return compareKeys(qualifierKey(a), qualifierKey(b))
  if (typeof a === 'object' && typeof b === 'object') return compareLists(a, b)
  return rank(a) - rank(b)
}

function compareLists(a: readonly Item[], b: readonly Item[]): number {
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const result = compareItems(a[at], b[at])
    if (result !== 0) return result
  }
  return 0
}

/** Compares as Maven does. This is no total order: see `mavenKey`. */
export const compareMavenVersions = (a: string, b: string): number =>
  Math.sign(compareLists(parseItems(a), parseItems(b)))

const END = '3'

function itemKey(item: Item): string {
  if (typeof item === 'bigint') return `7${numberKey(String(item))}`
  if (typeof item === 'object') return `${compareWithNothing(item) < 0 ? '2' : '6'}${listKey(item)}`
  const sign = compareWithNothing(item)
  return `${sign < 0 ? '1' : sign === 0 ? '4' : '5'}${textKey(qualifierKey(item))}`
}

const listKey = (list: readonly Item[]): string => `${list.map(itemKey).join('')}${END}`

/**
 * A key whose byte order is that of Maven, as far as Maven's is an order: `1.foo.1` is below
 * `1-alpha` there, `1-alpha` below `1`, and `1` below `1.foo.1`. In such a circle the key puts what
 * is below the release first.
 */
export const mavenKey = (version: string): string => listKey(parseItems(version))
