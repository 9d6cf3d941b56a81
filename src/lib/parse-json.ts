/** Parses the JSON of strangers in time proportional to its bytes. */
import { Refusal } from './errors.ts'

/** Nested objects and arrays; `JSON.stringify` of much deeper values exhausts the stack. */
const MAX_JSON_DEPTH = 64
/** Members of objects and items of arrays; 500 files of a commit have 2,000. */
const MAX_JSON_VALUES = 50_000
/** Of a document, such as an index of packages. */
const MAX_DOCUMENT_VALUES = 200_000

export type JsonLimits = { readonly maxDepth: number; readonly maxValues: number }

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Any JSON value. Throws 400 for bytes that are not UTF-8 or not JSON, and 422 for what is too
 * deeply nested or has too many values, which is found before it is parsed.
 */
export function parseJson(bytes: Uint8Array, maxValues = MAX_JSON_VALUES): unknown {
  // A shorter text cannot hold that many brackets.
  if (bytes.length > MAX_JSON_DEPTH) requireSimpleJson(bytes, maxValues)
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch (error) {
    throw new Refusal(
      'bad_request',
      error instanceof TypeError ? 'the body is not valid UTF-8' : 'the body is not valid JSON',
    )
  }
}

/**
 * The same; undefined for what is not UTF-8, not JSON, too deeply nested or has too many values. For
 * documents whose format allows more than a body of REST.
 */
export function parseJsonOrNone(
  bytes: Uint8Array,
  limits: JsonLimits = { maxDepth: MAX_JSON_DEPTH, maxValues: MAX_DOCUMENT_VALUES },
): unknown {
  if (findJsonExcess(bytes, limits) !== null) return undefined
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    return undefined
  }
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

function requireSimpleJson(json: Uint8Array, maxValues: number): void {
  const excess = findJsonExcess(json, { maxDepth: MAX_JSON_DEPTH, maxValues })
  if (excess === 'values')
    throw new Refusal('invalid', `the body has more than ${maxValues} values`)
  if (excess === 'depth')
    throw new Refusal('invalid', `the body is nested more than ${MAX_JSON_DEPTH} deep`)
}

/**
 * What of the limits a JSON text in UTF-8 exceeds; null when it keeps them. Counts open brackets and
 * values outside of strings, in one pass.
 */
export function findJsonExcess(
  json: Uint8Array,
  { maxDepth, maxValues }: JsonLimits,
): 'depth' | 'values' | null {
  let depth = 0
  let values = 0
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]
    if (byte === QUOTE) {
      for (at++; at < json.length && json[at] !== QUOTE; at++) if (json[at] === BACKSLASH) at++
    } else if (byte === COMMA) {
      if (++values > maxValues) return 'values'
    } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      if (++depth > maxDepth + 1) return 'depth'
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth--
  }
  return null
}
