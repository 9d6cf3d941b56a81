/**
 * Parses a search query: words, quoted phrases, `-` for negation, and qualifiers (`label:bug`,
 * `repo:acme/site`). An unknown qualifier, or one with a meaningless value, is treated as a word.
 */
import { invalid } from '#lib/errors.ts'

export type SearchType = (typeof SEARCH_TYPES)[number]
export const SEARCH_TYPES = ['repositories', 'code', 'issues', 'pulls', 'wiki', 'people'] as const

export type Term = { readonly text: string; readonly phrase: boolean; readonly not: boolean }

const YES_NO = ['yes', 'no']
/** The qualifiers with their allowed values; null allows any value. */
const QUALIFIERS = {
  repo: null,
  org: null,
  team: null,
  language: null,
  path: null,
  author: null,
  assignee: null,
  label: null,
  milestone: null,
  symbol: null,
  branch: null,
  is: ['open', 'closed', 'merged', 'draft', 'issue', 'pr', 'pull'],
  no: ['assignee'],
  case: YES_NO,
  archived: YES_NO,
  generated: YES_NO,
} as const satisfies Record<string, readonly string[] | null>
export type QualifierName = keyof typeof QUALIFIERS | 'regex'

export type Qualifier = {
  readonly name: QualifierName
  readonly value: string
  readonly not: boolean
}

export type Query = { readonly terms: readonly Term[]; readonly qualifiers: readonly Qualifier[] }

/** Longer queries are refused. */
const MAX_PARTS = 32

const isQualifier = (name: string): name is keyof typeof QUALIFIERS =>
  Object.hasOwn(QUALIFIERS, name)

/** Whether a value is valid for a qualifier. */
function isMeaningful(name: keyof typeof QUALIFIERS, value: string): boolean {
  if (value === '') return false
  const values: readonly string[] | null = QUALIFIERS[name]
  if (values) return values.includes(value.toLowerCase())
  return name === 'repo' || name === 'team' ? /^[^/\s]+\/[^/\s]+$/.test(value) : true
}

const qualifier = (name: keyof typeof QUALIFIERS, value: string, not: boolean): Qualifier => ({
  name,
  value: QUALIFIERS[name] === null ? value : value.toLowerCase(),
  not,
})

/**
 * Reads up to the closing delimiter; a backslash escapes the next character. Returns the text and
 * the position after it. Without a closing delimiter it reads to the end.
 */
function readUntil(text: string, from: number, sign: '"' | '/'): { value: string; next: number } {
  let value = ''
  for (let at = from; at < text.length; at++) {
    const char = text[at]
    if (char === sign) return { value, next: at + 1 }
    if (char === '\\' && at + 1 < text.length) {
      const after = text[at + 1] ?? ''
      // In a regular expression only `\/` is unescaped, because other backslashes belong to its
      // syntax.
      value +=
        after === sign ? after : sign === '/' ? `\\${after}` : after === '\\' ? '\\' : `\\${after}`
      at++
    } else value += char
  }
  return { value, next: text.length }
}

/** Parses a query. Throws 422 for an empty one, and for one with too many parts. */
export function parseQuery(text: string, field = 'query'): Query {
  const terms: Term[] = []
  const qualifiers: Qualifier[] = []
  // NUL would end the words of the index query early.
  const source = text.replaceAll('\0', ' ').normalize('NFC')
  let at = 0
  while (at < source.length) {
    if (/\s/.test(source[at] ?? '')) {
      at++
      continue
    }
    const not = source[at] === '-' && /\S/.test(source[at + 1] ?? '')
    if (not) at++
    if (source.startsWith('regex:/', at)) {
      const { value, next } = readUntil(source, at + 'regex:/'.length, '/')
      if (value !== '') qualifiers.push({ name: 'regex', value, not })
      at = next
      continue
    }
    if (source[at] === '"') {
      const { value, next } = readUntil(source, at + 1, '"')
      if (value.trim() !== '') terms.push({ text: value, phrase: true, not })
      at = next
      continue
    }
    const [, name = '', quote] = /^([A-Za-z]+):("?)/.exec(source.slice(at, at + 40)) ?? []
    const lower = name.toLowerCase()
    if (isQualifier(lower) && quote === '"') {
      const { value, next } = readUntil(source, at + name.length + 2, '"')
      if (isMeaningful(lower, value)) {
        qualifiers.push(qualifier(lower, value, not))
        at = next
        continue
      }
    }
    const word = /^\S+/.exec(source.slice(at))?.[0] ?? ''
    const value = word.slice(name.length + 1)
    if (isQualifier(lower) && isMeaningful(lower, value))
      qualifiers.push(qualifier(lower, value, not))
    else terms.push({ text: word, phrase: false, not })
    at += word.length
  }
  if (terms.length + qualifiers.length === 0)
    throw invalid(
      field,
      `${field} is empty: give words to look for, or a qualifier such as is:open`,
    )
  if (terms.length + qualifiers.length > MAX_PARTS)
    throw invalid(field, `${field} has at most ${MAX_PARTS} words and qualifiers`)
  return { terms, qualifiers }
}

const CODE_ONLY: ReadonlySet<string> = new Set([
  'path',
  'language',
  'symbol',
  'regex',
  'branch',
  'generated',
])

/** Returns the result type that a query implies. */
export function impliedType({ qualifiers }: Query): SearchType {
  const said = (name: QualifierName, ...values: string[]) =>
    qualifiers.some((one) => !one.not && one.name === name && values.includes(one.value))
  if (said('is', 'pr', 'pull')) return 'pulls'
  if (said('is', 'issue')) return 'issues'
  return qualifiers.some(({ name }) => CODE_ONLY.has(name)) ? 'code' : 'repositories'
}
