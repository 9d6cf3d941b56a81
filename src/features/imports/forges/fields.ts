/** Reads JSON of another forge without trusting its shape. Missing fields read as empty. */

import { isObject, objectOf, type JsonObject } from '#lib/json-value.ts'

const MAX_SAFE_TEXT = 1 << 20

export class Fields {
  readonly #of: JsonObject

  constructor(value: unknown) {
    this.#of = objectOf(value)
  }

  /** Empty unless the field is a text. */
  text(name: string): string {
    const value = this.#of[name]
    return typeof value === 'string' ? value.slice(0, MAX_SAFE_TEXT) : ''
  }

  /** Null for a missing or empty text. */
  optional(name: string): string | null {
    return this.text(name) || null
  }

  /** An id as text, whether it is a number or a text. */
  id(name: string): string {
    const value = this.#of[name]
    return typeof value === 'number' ? String(value) : this.text(name).slice(0, 200)
  }

  integer(name: string): number | null {
    const value = this.#of[name]
    return typeof value === 'number' && Number.isSafeInteger(value) ? value : null
  }

  is(name: string): boolean {
    return this.#of[name] === true
  }

  /** Milliseconds since 1970; null for what is no time. */
  time(name: string): number | null {
    const at = Date.parse(this.text(name))
    return Number.isFinite(at) && at > 0 ? at : null
  }

  /** Null when the field is no object. */
  object(name: string): Fields | null {
    const value = this.#of[name]
    return isObject(value) ? new Fields(value) : null
  }

  list(name: string): Fields[] {
    return listOf(this.#of[name])
  }

  integers(name: string): number[] {
    const value = this.#of[name]
    return Array.isArray(value) ? value.filter((one) => Number.isSafeInteger(one)) : []
  }

  texts(name: string): string[] {
    const value = this.#of[name]
    return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
  }
}

export const listOf = (value: unknown): Fields[] =>
  Array.isArray(value) ? value.map((one) => new Fields(one)) : []
