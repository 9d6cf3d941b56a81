/**
 * Explains why the schema refuses the rules of an input: the field by its full name
 * (`rules[2].parameters.max_usd`), and a sentence with the limits of the schema.
 */
import { fieldOf, missingName, partsOfPointer, schemaAt } from '#core/input-errors.ts'
import { isObject } from '#lib/json-value.ts'
import { Value } from 'typebox/value'
import { invalid, type Refusal } from '#lib/errors.ts'
import { newParameters, RULE_TYPES, type RuleType } from './rule-parameters.ts'

type Schema = Readonly<Record<string, unknown>>
type SchemaError = ReturnType<typeof Value.Errors>[number]

const isRuleType = (value: unknown): value is RuleType => RULE_TYPES.some((type) => type === value)

/** The first fault in the parameters of the rules; null when they have none. */
export function explainRules(input: unknown): Refusal | null {
  const rules = isObject(input) ? input.rules : null
  if (!Array.isArray(rules)) return null
  for (const [index, rule] of rules.entries()) {
    const at = `rules[${index}]`
    if (!isObject(rule)) return invalid(at, `${at} must be an object`)
    const { type, parameters, applies_to } = rule
    if (type === undefined) return invalid(`${at}.type`, `${at}.type is required`)
    if (!isRuleType(type)) return invalid(`${at}.type`, `${at}.type is none of the allowed values`)
    const fault = explainParameters(type, parameters ?? {}, `${at}.parameters`)
    if (fault) return fault
    if (applies_to !== undefined && applies_to !== 'everyone' && applies_to !== 'agents')
      return invalid(`${at}.applies_to`, `${at}.applies_to must be one of everyone, agents`)
  }
  return null
}

function explainParameters(type: RuleType, given: unknown, at: string): Refusal | null {
  if (!isObject(given)) return invalid(at, `${at} must be an object`)
  const schema = newParameters(type)
  const [error] = Value.Errors(schema, given)
  if (!error) return null
  const path = partsOfPointer(error.instancePath)
  const missing = missingName(error)
  if (missing !== undefined) path.push(missing)
  return invalid(fieldOf([at, ...path]), describeError(type, schema, error, path))
}

const words = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : '')

function describeError(
  type: RuleType,
  root: unknown,
  error: SchemaError,
  path: readonly string[],
): string {
  const pointer = partsOfPointer(error.schemaPath)
  const missing = missingName(error)
  // An unknown name is an error of the schema `false` under `additionalProperties`.
  if (error.keyword === 'boolean')
    return unknownName(type, schemaAt(root, pointer.slice(0, -1)), path)
  const name = path.at(-1) ?? ''
  const isItem = /^\d+$/.test(name)
  const schema = schemaAt(
    root,
    missing === undefined ? pointer : [...pointer, 'properties', missing],
  )
  if (missing !== undefined && path.length === 1 && schema.type !== 'array')
    return `${type} needs ${missing}`
  if (typeof schema['x-problem'] === 'string') return schema['x-problem']
  return limitText(type, isItem ? `${path.at(-2)}[${name}]` : name, schema, error)
}

/** A misspelt parameter must be refused, or the rule would do less than it says. */
function unknownName(type: RuleType, schema: Schema, path: readonly string[]): string {
  const known = isObject(schema.properties) ? Object.keys(schema.properties) : []
  const name = path.at(-1) ?? ''
  if (typeof schema['x-name'] === 'string')
    return `${schema['x-name']} has ${known.slice(0, -1).join(', ')} and ${known.at(-1)}, not ${name}`
  return `${type} has no parameter ${name}${known.length === 0 ? '' : `; it has ${known.join(', ')}`}`
}

/** What a value must be, by the keywords of its schema. */
function limitText(type: RuleType, name: string, schema: Schema, error: SchemaError): string {
  const { minimum, exclusiveMinimum, maximum, minLength, maxLength, maxItems } = schema
  if (Array.isArray(schema.enum)) return `${name} must be one of ${words(schema.enum)}`
  switch (schema.type) {
    case 'boolean':
      return `${name} must be true or false`
    case 'integer':
      return `${name} must be a whole number from ${minimum} to ${maximum}`
    case 'number':
      return `${name} must be a number above ${exclusiveMinimum} and at most ${maximum}`
    case 'string':
      return minLength === undefined
        ? `${name} must be text of at most ${maxLength} characters`
        : `${name} must be text of ${minLength} to ${maxLength} characters`
    case 'array':
      if (error.keyword === 'maxItems') return `${name} has at most ${maxItems} items`
      return error.keyword === 'minItems' || error.keyword === 'required'
        ? `${type} needs at least one of ${name}`
        : `${name} must be a list`
    default:
      return `${name} ${error.message}`
  }
}
