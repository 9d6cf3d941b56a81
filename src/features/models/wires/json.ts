/** Reads JSON of clients and providers without trusting its types. */
import { Refusal } from '#lib/errors.ts'
import { isObject, type JsonObject } from '#lib/json-value.ts'

export type Json = JsonObject

export const listOf = (value: unknown): readonly Json[] =>
  Array.isArray(value) ? value.filter(isObject) : []

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

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
