/** Reads JSON values of unknown shape. */

export type JsonObject = Readonly<Record<string, unknown>>

/** Whether a value is an object and no array. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Empty for what is no object. */
export const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {})
