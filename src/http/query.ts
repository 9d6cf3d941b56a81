/** Percent-encoding (RFC 3986) and the text of queries. */
import { Refusal } from '#lib/errors.ts'
import { put, type Field, type TextKind } from './shape.ts'

/** Decodes one part of an address. Gives 400 for broken percent-encoding. */
export function decode(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Refusal('bad_request', 'the address has broken percent-encoding')
  }
}

/** The pairs of a query string, in order. */
export function queryPairs(query: string): [name: string, value: string][] {
  if (query === '') return []
  return query
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const text = part.includes('+') ? part.replaceAll('+', ' ') : part
      const equals = text.indexOf('=')
      return equals < 0
        ? [decode(text), '']
        : [decode(text.slice(0, equals)), decode(text.slice(equals + 1))]
    })
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

/**
 * A value that came as text; text that does not fit is left as it is, for validation to name it.
 */
export function fromText(kind: TextKind, text: string): unknown {
  if (kind === 'integer') return /^-?\d{1,15}$/.test(text) ? Number(text) : text
  if (kind === 'number') return /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : text
  if (kind === 'boolean') return BOOLEANS.get(text) ?? text
  return text
}

/**
 * Folds a query into an input. Arrays come as a repeated name or separated by commas. Gives 422
 * when one name comes with two values.
 */
export function foldQuery(
  query: string,
  fields: ReadonlyMap<string, Field>,
  input: Record<string, unknown>,
): void {
  if (query === '') return
  let arrays: Set<string> | null = null
  for (const [key, text] of queryPairs(query)) {
    const field = fields.get(key)
    if (field === undefined) continue
    if (field.text === 'texts') {
      const before = input[field.name]
      input[field.name] =
        before === undefined ? text : [...(Array.isArray(before) ? before : [before]), text]
      continue
    }
    if (field.text !== 'array') {
      put(input, field.name, fromText(field.text, text), field.name)
      continue
    }
    const items = text === '' ? [] : text.split(',').map((item) => fromText(field.itemText, item))
    arrays ??= new Set()
    const before = arrays.has(field.name) ? (input[field.name] as unknown[]) : []
    arrays.add(field.name)
    input[field.name] = [...before, ...items]
  }
}
