/** Operations as tools: their descriptions for clients, and the inputs that only tools have. */
import type { Tool } from '@modelcontextprotocol/server'
import type { Operation } from '#core/operation.ts'
import { lazy } from '#lib/lazy.ts'
import { isCacheable } from '#core/commit-cache.ts'
import { showsSecret } from '../compression.ts'
import { asJsonSchema, type Field, type JsonSchema, type Shape, shapeOf } from '../shape.ts'
import { type RecordPlan, recordPlanOf } from './tool-record.ts'
import { onlyReads } from './tool-selection.ts'

/**
 * Inputs of the tool server itself, which are removed before the operation is called. The
 * instructions of the server explain them, because a description here would be in every tool.
 */
export const EXTRAS = {
  max_chars: { type: 'integer' },
  fields: { type: 'array', items: { type: 'string' } },
  idempotency_key: { type: 'string' },
} as const satisfies Record<string, JsonSchema>

export type ToolPlan = {
  readonly operation: Operation
  readonly listing: Tool
  readonly withOutput: Tool
  readonly extras: ReadonlySet<keyof typeof EXTRAS>
  /** The names of the input at every depth. */
  readonly shape: Shape
  /** The field names of a list's items; null if they are not fixed. */
  readonly itemFields: ReadonlySet<string> | null
  /** What results leave out of the record, or of each item of a list. */
  readonly record: RecordPlan | null
  /** Whether results have a secret. */
  readonly showsSecret: boolean
  readonly isList: boolean
  readonly reads: boolean
  /** Whether equal calls have equal outputs until the next commit. */
  readonly isCacheable: boolean
}

/** Constraints that an ordinary call never meets. */
const UNLISTED: ReadonlySet<string> = new Set([
  '$id',
  'examples',
  'minLength',
  'maxLength',
  'maximum',
  'minItems',
  'patternProperties',
])

/**
 * A schema as clients see it: short, because models read every listed tool each time. Constraints
 * that are left out here are still checked, and the error names them.
 */
function listedSchema(schema: JsonSchema): JsonSchema {
  const copy: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(schema)) {
    if (key.startsWith('x-')) continue
    if (key === 'pattern' && schema.description !== undefined) continue
    if (UNLISTED.has(key) || (key === 'minimum' && Number(value) <= 1)) continue
    if (key === 'properties')
      copy[key] = Object.fromEntries(
        Object.entries(value as Record<string, JsonSchema>).map(([name, inner]) => [
          name,
          listedSchema(inner),
        ]),
      )
    else if (key === 'anyOf') Object.assign(copy, union(value as JsonSchema[]))
    else if (Array.isArray(value)) copy[key] = value
    else
      copy[key] =
        typeof value === 'object' && value !== null ? listedSchema(value as JsonSchema) : value
  }
  return copy
}

/** A type or null becomes a list of types. */
function union(branches: readonly JsonSchema[]): JsonSchema {
  const others = branches.filter(({ type }) => type !== 'null').map(listedSchema)
  const [only] = others
  if (
    others.length !== 1 ||
    !only ||
    typeof only.type !== 'string' ||
    others.length === branches.length
  )
    return { anyOf: branches.map(listedSchema) }
  const words = only.enum
  return {
    ...only,
    type: [only.type, 'null'],
    ...(Array.isArray(words) ? { enum: [...words, null] } : {}),
  }
}

/** Inputs that most tools have, in their shortest form. A page is reached by its cursor. */
const COMMON_INPUTS: Readonly<Record<string, (schema: JsonSchema) => JsonSchema | null>> = {
  repo: () => ({ type: 'string', description: '<owner>/<name>' }),
  number: () => ({ type: 'integer' }),
  page: () => null,
  per_page: (schema) => ({
    type: 'integer',
    description: `${String(schema['x-default'])} unless given, at most ${String(schema['x-max'])}.`,
  }),
  cursor: () => ({ type: 'string', description: 'next of the answer before.' }),
}

function listedInputs(
  properties: Readonly<Record<string, JsonSchema>>,
): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, schema]) => {
      const common = COMMON_INPUTS[name]
      const isCommon =
        (name !== 'page' || 'cursor' in properties) &&
        (name !== 'per_page' || 'x-default' in schema)
      const listed = common && isCommon ? common(schema) : listedSchema(schema)
      return listed === null ? [] : [[name, listed] as const]
    }),
  )
}

/** `close_issue` becomes `Close issue`. */
const titleOf = (name: string): string => {
  const text = name.replaceAll('_', ' ')
  return text[0]?.toUpperCase() + text.slice(1)
}

function annotationsOf(operation: Operation): NonNullable<Tool['annotations']> {
  const reads = onlyReads(operation)
  const methods = operation.routes.map((route) => route.split(' ')[0])
  const { destructive, idempotent, openWorld } = operation.annotations
  return {
    title: titleOf(operation.name),
    readOnlyHint: reads,
    destructiveHint: !reads && (destructive ?? methods.includes('DELETE')),
    idempotentHint:
      idempotent ??
      (reads ||
        (methods.length > 0 && methods.every((method) => method === 'PUT' || method === 'DELETE'))),
    openWorldHint: openWorld ?? false,
  }
}

export function toolPlan(operation: Operation): ToolPlan {
  const input = asJsonSchema(operation.input)
  const output = asJsonSchema(operation.output)
  const reads = onlyReads(operation)
  const isList = output['x-list'] === true
  const wanted: (keyof typeof EXTRAS)[] = reads
    ? isList
      ? ['fields', 'max_chars']
      : ['max_chars']
    : operation.routes.some((route) => route.startsWith('POST '))
      ? ['idempotency_key']
      : []
  const extras = new Set(wanted.filter((name) => !(name in (input.properties ?? {}))))
  const schema = listedSchema(input)
  const inputSchema = {
    ...schema,
    type: 'object' as const,
    properties: {
      ...listedInputs(input.properties ?? {}),
      ...Object.fromEntries([...extras].map((name) => [name, EXTRAS[name]])),
    },
    additionalProperties: false,
  }
  const listing = {
    name: operation.name,
    description: operation.preview ? `Preview: ${operation.summary}` : operation.summary,
    inputSchema,
    annotations: annotationsOf(operation),
    ...(operation.preview ? { _meta: { preview: true } } : {}),
  } as unknown as Tool
  const items = output.properties?.items?.items
  const withOutput = lazy(() => {
    const outputSchema = outputSchemaOf(output)
    return outputSchema ? ({ ...listing, outputSchema } as unknown as Tool) : listing
  })
  return {
    operation,
    listing,
    get withOutput() {
      return withOutput()
    },
    extras,
    shape: shapeOf(input) ?? { kind: 'object', fields: new Map<string, Field>(), closed: true },
    record: isList ? recordPlanOf(items ?? {}) : recordPlanOf(output, true),
    itemFields: items?.properties ? new Set(Object.keys(items.properties)) : null,
    showsSecret: showsSecret(operation),
    isList,
    reads,
    isCacheable: reads && isCacheable(operation),
  }
}

/**
 * The schema of structured content; null for an output that is no object or array. At every depth
 * an output may be narrowed or cut, and has fields beside its record, so nothing is required.
 */
function outputSchemaOf(output: JsonSchema): JsonSchema | null {
  const listed = openEnded(listedSchema(output)) as JsonSchema
  if (output.type === 'array')
    return {
      type: 'object',
      properties: { items: listed, next: { type: ['string', 'null'] } },
    }
  return output.type === 'object' ? { type: 'object', properties: listed.properties } : null
}

function openEnded(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(openEnded)
  if (typeof value !== 'object' || value === null) return value
  const isSchema = !('required' in value) || Array.isArray(value.required)
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !(isSchema && (key === 'required' || key === 'additionalProperties')))
      .map(([key, inner]) => [key, openEnded(inner)]),
  )
}
