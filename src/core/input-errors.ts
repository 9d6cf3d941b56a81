/** Says why a schema refuses an input: the field, and what it must be, in words that pages show. */
import { isObject } from '#lib/json-value.ts'
import { Refusal } from '#lib/errors.ts'
import type { Value } from 'typebox/value'

type SchemaError = ReturnType<typeof Value.Errors>[number]
type Schema = Readonly<Record<string, unknown>>

/** More allowed words are not told. */
const MAX_WORDS = 12
const MAX_FIELD_LENGTH = 200

const unescaped = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~')

/** The parts of a JSON pointer such as `#/properties/per/anyOf/0`. */
export const partsOfPointer = (pointer: string): string[] =>
  pointer.split('/').slice(1).map(unescaped)

/** The schema at the parts of a JSON pointer. */
export function schemaAt(root: unknown, parts: readonly string[]): Schema {
  let schema: unknown = root
  for (const part of parts)
    schema = Array.isArray(schema) ? schema[Number(part)] : isObject(schema) ? schema[part] : null
  return isObject(schema) ? schema : {}
}

const paramsOf = ({ params }: SchemaError): Readonly<Record<string, unknown>> => params

/** The name of a field: `list[1].n`. */
export const fieldOf = (parts: readonly string[]): string =>
  parts.reduce(
    (text, part) =>
      /^\d+$/.test(part) ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`,
    '',
  )

/** The first name that is required and missing. */
export const missingName = (error: SchemaError): string | undefined =>
  (paramsOf(error).requiredProperties as string[] | undefined)?.[0]

/** A value that may be null is of another schema as well, whose error says more. */
const saysLittle = (error: SchemaError): boolean =>
  error.keyword === 'type' && paramsOf(error).type === 'null'

/** The refusal for the first error of an input, or of the input with the name `under`. */
export function invalidInput(
  schema: unknown,
  errors: readonly SchemaError[],
  under?: string,
): Refusal {
  const first = errors.find((error) => !saysLittle(error)) ?? errors[0]
  if (!first) return new Refusal('invalid', 'the input is not valid')
  const path = [...(under === undefined ? [] : [under]), ...partsOfPointer(first.instancePath)]
  const missing = missingName(first)
  if (missing !== undefined) path.push(missing)
  const field = fieldOf(path).slice(0, MAX_FIELD_LENGTH)
  return new Refusal('invalid', messageOf(field || 'the input', schema, first), {
    field: field || undefined,
  })
}

function messageOf(field: string, root: unknown, error: SchemaError): string {
  const params = paramsOf(error)
  const limit = Number(params.limit)
  switch (error.keyword) {
    case 'required':
      return `${field} is required`
    case 'minLength':
      return limit === 1
        ? `${field} may not be empty`
        : `${field} must have at least ${limit} characters`
    case 'maxLength':
      return `${field} may have at most ${limit} characters`
    case 'minItems':
      return limit === 1
        ? `${field} must have at least one entry`
        : `${field} must have at least ${limit} entries`
    case 'maxItems':
      return `${field} may have at most ${limit} entries`
    case 'minimum':
      return `${field} must be at least ${limit}`
    case 'maximum':
      return `${field} may be at most ${limit}`
    // An unknown name has the schema `false`.
    case 'boolean':
      return `${field} is not a known input`
    case 'enum':
      return wordsMessage(field, error)
    case 'type':
      return typeMessage(field, error)
    case 'pattern':
      return patternMessage(field, schemaAt(root, partsOfPointer(error.schemaPath)), error)
    default:
      return `${field} ${error.message}`
  }
}

/** `mustBe` of the schema says it, because people do not read patterns. */
const patternMessage = (field: string, schema: Schema, error: SchemaError): string =>
  typeof schema['x-must-be'] === 'string'
    ? `${field} must be ${schema['x-must-be']}`
    : `${field} ${error.message}`

function wordsMessage(field: string, error: SchemaError): string {
  const words = paramsOf(error).allowedValues
  return Array.isArray(words) && words.length <= MAX_WORDS
    ? `${field} must be one of ${words.join(', ')}`
    : `${field} is none of the allowed values`
}

function typeMessage(field: string, error: SchemaError): string {
  switch (paramsOf(error).type) {
    case 'integer':
      return `${field} must be a whole number`
    case 'number':
      return `${field} must be a number`
    case 'boolean':
      return `${field} must be true or false`
    case 'string':
      return `${field} must be text`
    case 'array':
      return `${field} must be a list`
    default:
      return `${field} ${error.message}`
  }
}
