/** Reads JSON values of unknown shape. */

export type JsonObject = Readonly<Record<string, unknown>>

/** Whether a value is an object and no array. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Empty for what is no object. */
export const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {})

/** Empty for what is no array. */
export const arrayOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Null for what is no text. */
export const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

export const keysOf = (value: unknown): string[] => Object.keys(objectOf(value))

/** The texts of an array. */
export const textsOf = (value: unknown): string[] =>
  arrayOf(value).filter((one): one is string => typeof one === 'string')
