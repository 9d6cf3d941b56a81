/** The combinations of a matrix. */
import { ExpressionFault } from './expression.ts'
import {
  isJsonArray,
  isJsonObject,
  ownValue,
  scalarText,
  type Json,
  type JsonObject,
} from './json.ts'

export const MAX_COMBINATIONS = 256

/** The combinations of an evaluated `matrix`, in GitHub's order. Throws ExpressionFault. */
export function expandMatrix(matrix: JsonObject): JsonObject[] {
  const vectors = Object.entries(matrix).filter(([key]) => key !== 'include' && key !== 'exclude')
  const excludes = objectsOf(matrix, 'exclude')
  const includes = objectsOf(matrix, 'include')
  const product = vectors.length === 0 ? [] : productOf(vectors)
  const originals = product.filter((one) => !excludes.some((filter) => covers(filter, one)))
  if (originals.length > MAX_COMBINATIONS) throw tooMany()
  const combinations: JsonObject[] = originals.map((one) => ({ ...one }))
  const names = new Set(vectors.map(([key]) => key))
  for (const extra of includes) {
    const filter = Object.fromEntries(Object.entries(extra).filter(([key]) => names.has(key)))
    let isAdded = false
    originals.forEach((original, index) => {
      if (!covers(filter, original)) return
      combinations[index] = Object.fromEntries([
        ...Object.entries(combinations[index] ?? {}),
        ...Object.entries(extra),
      ])
      isAdded = true
    })
    if (!isAdded) combinations.push(extra)
    if (combinations.length > MAX_COMBINATIONS) throw tooMany()
  }
  return combinations
}

const tooMany = (): ExpressionFault =>
  new ExpressionFault(`The matrix has more than ${MAX_COMBINATIONS} combinations`)

/** Twice the limit may be left out again by `exclude`; more is refused before it is made. */
const MAX_PRODUCT = MAX_COMBINATIONS * 16

function productOf(vectors: readonly [string, Json][]): JsonObject[] {
  let product: [string, Json][][] = [[]]
  for (const [key, values] of vectors) {
    if (!isJsonArray(values)) throw new ExpressionFault(`The matrix vector '${key}' is not a list`)
    if (values.length === 0)
      throw new ExpressionFault(`Matrix vector '${key}' does not contain any values`)
    if (product.length * values.length > MAX_PRODUCT) throw tooMany()
    product = product.flatMap((one) =>
      values.map((value): [string, Json][] => [...one, [key, value]]),
    )
  }
  return product.map((entries) => Object.fromEntries(entries))
}

function objectsOf(matrix: JsonObject, key: 'include' | 'exclude'): JsonObject[] {
  const value = ownValue(matrix, key)
  if (value === undefined || value === null || value === '') return []
  if (!isJsonArray(value) || !value.every((item) => isJsonObject(item)))
    throw new ExpressionFault(`The matrix's ${key} is not a list of mappings`)
  return value as JsonObject[]
}

/** Whether every value that a filter names is there; mappings may have more. */
function covers(filter: Json, value: Json): boolean {
  if (isJsonObject(filter))
    return (
      isJsonObject(value) &&
      Object.entries(filter).every(([key, one]) => {
        const found = ownValue(value, key)
        return found !== undefined && covers(one, found)
      })
    )
  if (isJsonArray(filter))
    return (
      isJsonArray(value) &&
      filter.length === value.length &&
      filter.every((one, index) => covers(one, value[index] ?? null))
    )
  return !isJsonObject(value) && !isJsonArray(value) && scalarText(filter) === scalarText(value)
}

/** `1.22, linux`: the scalars of a combination, for the name of its job. */
export function combinationName(combination: JsonObject): string {
  return [...leaves(combination)].join(', ')
}

function* leaves(value: Json): Generator<string> {
  if (isJsonArray(value)) for (const item of value) yield* leaves(item)
  else if (isJsonObject(value)) for (const item of Object.values(value)) yield* leaves(item)
  else if (scalarText(value) !== '') yield scalarText(value)
}
