/** Reads values of documents that strangers wrote. */

import { isObject, type JsonObject } from '#lib/json-value.ts'
import { parseJsonOrNone } from '#lib/parse-json.ts'

/** A text that is not empty, else null. */
export const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value : null

export const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : []

/** An object of JSON text; null for anything else, and for what is nested too deeply. */
export function parseObject(text: string): JsonObject | null {
  const value = parseJsonOrNone(Buffer.from(text))
  return isObject(value) ? value : null
}
