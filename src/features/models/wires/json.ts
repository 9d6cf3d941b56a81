/** Reads JSON of clients and providers without trusting its types. */
import { Refusal } from '#lib/errors.ts'
import { isObject, type JsonObject } from '#lib/json-value.ts'

export type Json = JsonObject

export const listOf = (value: unknown): readonly Json[] =>
  Array.isArray(value) ? value.filter(isObject) : []

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The text of a message, whether it is one text or a list of parts. */
export const plainText = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : listOf(content)
        .map(({ text }) => textOf(text))
        .join('\n')

export const bad = (message: string): Refusal => new Refusal('bad_request', message)

/** The list of a request. Throws 400 for anything else. */
export function requireList(value: unknown, name: string): readonly Json[] {
  if (!Array.isArray(value) || !value.every(isObject))
    throw bad(`${name} must be an array of objects`)
  return value
}

export function requireText(value: unknown, name: string): string {
  if (typeof value !== 'string') throw bad(`${name} must be a text`)
  return value
}

/** Throws 400 for an image that the provider would have to fetch. */
export function requireDataAddress(url: unknown, name: string): string {
  const text = requireText(url, name)
  if (!text.startsWith('data:'))
    throw bad(`${name} must be a data address; images of other addresses are not fetched`)
  return text
}

/** A positive whole number of a request; undefined when it is left out. Throws 400. */
export function optionalCount(value: unknown, name: string): number | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1)
    throw bad(`${name} must be a positive integer`)
  return value
}

export const optionalNumber = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined

/** The fields of a request that may go on to a provider. */
export const pick = (body: Json, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.filter((name) => body[name] != null).map((name) => [name, body[name]]))

/** Without the fields that have no value. */
export const defined = <T extends Record<string, unknown>>(fields: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Partial<T>
