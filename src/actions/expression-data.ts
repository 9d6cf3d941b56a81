/**
 * Values of expressions as `@actions/expressions` evaluates them, made from JSON as they are read.
 * A context such as `github.event` may be large, and most expressions read one value of it.
 */
import { data } from '@actions/expressions'
import { Array as ArrayData } from '@actions/expressions/data/array'
import type { Json, JsonObject } from './json.ts'
import { isJsonArray } from './json.ts'

export type Data = data.ExpressionData

/**
 * A mapping whose values are made when they are read. Keys are compared without regard to case, the
 * first of equal ones wins. The package's own class loses keys such as `constructor`.
 */
class LazyDictionary extends data.Dictionary {
  readonly #source: JsonObject
  readonly #made = new Map<string, Data>()
  #names: Map<string, string> | null = null

  constructor(source: JsonObject) {
    super()
    this.#source = source
  }

  get json(): JsonObject {
    return this.#source
  }

  override add(): void {
    throw new Error('a context cannot be changed')
  }

  #keys(): Map<string, string> {
    if (this.#names) return this.#names
    const names = new Map<string, string>()
    for (const key of Object.keys(this.#source)) {
      const lower = key.toLowerCase()
      if (!names.has(lower)) names.set(lower, key)
    }
    return (this.#names = names)
  }

  override get(key: string): Data | undefined {
    const name = this.#keys().get(key.toLowerCase())
    if (name === undefined) return undefined
    let value = this.#made.get(name)
    if (!value) {
      value = toData(this.#source[name] ?? null)
      this.#made.set(name, value)
    }
    return value
  }

  override values(): Data[] {
    return this.pairs().map(({ value }) => value)
  }

  override pairs(): { key: string; value: Data }[] {
    return [...this.#keys().values()].map((key) => ({ key, value: this.get(key) as Data }))
  }
}

class LazyArray extends ArrayData {
  readonly #source: readonly Json[]
  #made: Data[] | null = null

  constructor(source: readonly Json[]) {
    super()
    this.#source = source
  }

  get json(): readonly Json[] {
    return this.#source
  }

  override values(): Data[] {
    return (this.#made ??= this.#source.map(toData))
  }

  override get(index: number): Data {
    return this.values()[index] as Data
  }
}

export function toData(value: Json): Data {
  if (value === null) return new data.Null()
  if (typeof value === 'string') return new data.StringData(value)
  if (typeof value === 'number') return new data.NumberData(value)
  if (typeof value === 'boolean') return new data.BooleanData(value)
  return isJsonArray(value) ? new LazyArray(value) : new LazyDictionary(value as JsonObject)
}

export const toDictionary = (value: JsonObject): data.Dictionary => new LazyDictionary(value)

export function fromData(value: Data): Json {
  if (value instanceof LazyDictionary || value instanceof LazyArray) return value.json
  if (value instanceof data.Dictionary)
    return Object.fromEntries(value.pairs().map(({ key, value }) => [key, fromData(value)]))
  if (value instanceof ArrayData) return value.values().map(fromData)
  return value instanceof data.Null ? null : value.value
}

/** How many values a mapping or list holds, or how long a string is: what work on it costs. */
export function sizeOf(value: Data): number {
  if (value instanceof data.StringData) return value.value.length
  if (value instanceof LazyArray) return value.json.length
  if (value instanceof ArrayData) return value.values().length
  if (value instanceof LazyDictionary) return Object.keys(value.json).length
  return 1
}
