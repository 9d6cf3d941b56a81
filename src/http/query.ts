/** Paths and queries: percent-encoding (RFC 3986), and the values that text stands for. */
import { Refusal } from '#lib/errors.ts'
import { type Field, put, type TextKind } from './shape.ts'

/** Decodes one part of an address. Throws 400 for broken percent-encoding. */
export function percentDecode(text: string): string {
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
        ? [percentDecode(text), '']
        : [percentDecode(text.slice(0, equals)), percentDecode(text.slice(equals + 1))]
    })
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

/**
 * The value that a text stands for. Text that does not fit stays as it is, and validation names it.
 */
export function parseText(kind: TextKind, text: string): unknown {
  if (kind === 'integer') return /^-?\d{1,15}$/.test(text) ? Number(text) : text
  if (kind === 'number') return /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : text
  if (kind === 'boolean') return BOOLEANS.get(text) ?? text
  return text
}

/**
 * Adds a query to an input. Arrays are a repeated name or separated by commas. Throws 422 for a
 * name with two values.
 */
export function foldQuery(
  query: string,
  fields: ReadonlyMap<string, Field>,
  input: Record<string, unknown>,
): void {
  if (query === '') return
  const arrays = new Map<string, unknown[]>()
  for (const [key, text] of queryPairs(query)) {
    const field = fields.get(key)
    if (field === undefined) continue
    if (field.text === 'texts') {
      const before = input[field.name]
      if (before === undefined) input[field.name] = text
      else if (Array.isArray(before)) before.push(text)
      else input[field.name] = [before, text]
      continue
    }
    if (field.text !== 'array') {
      put(input, field.name, parseText(field.text, text), field.name)
      continue
    }
    const items = text === '' ? [] : text.split(',').map((item) => parseText(field.itemText, item))
    const array = arrays.get(field.name)
    if (array) array.push(...items)
    else {
      arrays.set(field.name, items)
      input[field.name] = items
    }
  }
}
