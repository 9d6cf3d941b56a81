/**
 * Facts about schemas, computed once for each operation: the names of objects in both spellings,
 * the types that text of a query stands for, and the properties that REST spells differently.
 */
import { isObject } from '#lib/json-value.ts'
import type { TSchema } from 'typebox'
import { Refusal } from '#lib/errors.ts'

/** A schema as JSON Schema, as far as it is used here. */
export type JsonSchema = {
  readonly type?: string | readonly string[]
  readonly properties?: Record<string, JsonSchema>
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly additionalProperties?: unknown
  readonly description?: string
  readonly required?: readonly string[]
  readonly [key: string]: unknown
}

export const asJsonSchema = (schema: TSchema): JsonSchema => schema as unknown as JsonSchema

/**
 * The type that a value in text stands for. `texts` is a text, or an array of texts when the name
 * is repeated.
 */
export type TextKind = 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object' | 'texts'

export type Field = {
  readonly name: string
  readonly shape: Shape | null
  readonly text: TextKind
  readonly itemText: TextKind
}

/** The names inside objects and arrays; null for a value without names of a schema. */
export type Shape =
  | { readonly kind: 'array'; readonly items: Shape }
  | {
      readonly kind: 'object'
      readonly fields: ReadonlyMap<string, Field>
      readonly closed: boolean
    }

export const camelCase = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

const branches = (schema: JsonSchema): readonly JsonSchema[] =>
  schema.anyOf ? schema.anyOf.flatMap(branches) : [schema]

export function textKind(schema: JsonSchema): TextKind {
  const types = branches(schema).map(({ type }) => type)
  if (types.includes('array') && types.includes('string')) return 'texts'
  for (const type of types) {
    if (
      type === 'integer' ||
      type === 'number' ||
      type === 'boolean' ||
      type === 'array' ||
      type === 'object'
    )
      return type
  }
  return 'string'
}

export function fieldOf(name: string, schema: JsonSchema): Field {
  const items = branches(schema).find((branch) => branch.type === 'array')?.items
  return {
    name,
    shape: shapeOf(schema),
    text: textKind(schema),
    itemText: items ? textKind(items) : 'string',
  }
}

/** The shape of a schema. The object branches of a union are merged. */
export function shapeOf(schema: JsonSchema): Shape | null {
  const fields = new Map<string, Field>()
  let closed = true
  for (const branch of branches(schema)) {
    if (branch.items) {
      const items = shapeOf(branch.items)
      if (items) return { kind: 'array', items }
    }
    if (!branch.properties || branch['x-free-form'] === true) continue
    closed &&= branch.additionalProperties === false
    for (const [name, inner] of Object.entries(branch.properties)) {
      const field = fieldOf(name, inner)
      for (const spelling of [name, camelCase(name)])
        if (!fields.has(spelling)) fields.set(spelling, field)
    }
  }
  return fields.size === 0 ? null : { kind: 'object', fields, closed }
}

/** A value with all names in snake_case. Throws 422 for a name in both spellings that differ. */
export function inSnakeCase(shape: Shape | null, value: unknown, path = ''): unknown {
  if (shape === null) return value
  if (shape.kind === 'array')
    return Array.isArray(value)
      ? value.map((item, index) => inSnakeCase(shape.items, item, `${path}[${index}]`))
      : value
  if (!isObject(value)) return value
  const named: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const field = shape.fields.get(key)
    if (field === undefined) {
      if (!shape.closed && key !== '__proto__') named[key] = value[key]
      continue
    }
    const place = path === '' ? field.name : `${path}.${field.name}`
    put(named, field.name, inSnakeCase(field.shape, value[key], place), place)
  }
  return named
}

/** Sets a name. Throws 422 if it has another value already. */
export function put(
  input: Record<string, unknown>,
  name: string,
  value: unknown,
  place: string,
): void {
  if (Object.hasOwn(input, name) && !Bun.deepEquals(input[name], value)) {
    throw new Refusal('invalid', `${place} was given twice with different values; give it once`, {
      field: place.slice(0, 200),
    })
  }
  input[name] = value
}

/** The first name inside a value that its schema lacks, dotted for depth; null if there is none. */
export function unknownName(shape: Shape | null, value: unknown, path = ''): string | null {
  if (shape === null) return null
  if (shape.kind === 'array') {
    if (!Array.isArray(value)) return null
    for (let index = 0; index < value.length; index++) {
      const unknown = unknownName(shape.items, value[index], `${path}[${index}]`)
      if (unknown !== null) return unknown
    }
    return null
  }
  if (!isObject(value)) return null
  for (const key of Object.keys(value)) {
    const place = path === '' ? key : `${path}.${key}`
    const field = shape.fields.get(key)
    if (field === undefined || field.name !== key) return place
    const unknown = unknownName(field.shape, value[key], place)
    if (unknown !== null) return unknown
  }
  return null
}

/** The properties of an output that REST spells differently, at every depth. */
export type Renames = {
  readonly names: ReadonlyMap<string, { readonly name: string; readonly inner: Renames | null }>
  readonly items: Renames | null
}

/** Null for a schema without renames, so that most outputs are not traversed. */
export function renamesOf(schema: JsonSchema): Renames | null {
  const names = new Map<string, { name: string; inner: Renames | null }>()
  let items: Renames | null = null
  for (const branch of branches(schema)) {
    if (branch.items) items ??= renamesOf(branch.items)
    for (const [name, property] of Object.entries(branch.properties ?? {})) {
      const rest = property['x-rest-name']
      const inner = renamesOf(property)
      if (typeof rest === 'string' || inner)
        names.set(name, { name: typeof rest === 'string' ? rest : name, inner })
    }
  }
  return names.size === 0 && items === null ? null : { names, items }
}

export function renamed(renames: Renames | null, value: unknown): unknown {
  if (renames === null || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value))
    return renames.items ? value.map((item) => renamed(renames.items, item)) : value
  const answer: Record<string, unknown> = {}
  for (const [key, inner] of Object.entries(value)) {
    const rename = renames.names.get(key)
    if (rename) answer[rename.name] = renamed(rename.inner, inner)
    else answer[key] = inner
  }
  return answer
}
