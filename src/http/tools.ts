/** Operations as tools: their descriptions for a client, and the inputs that only tools have. */
import type { Tool } from '@modelcontextprotocol/server'
import type { Operation } from '#core/operation.ts'
import { asJsonSchema, type Field, type JsonSchema, type Shape, shapeOf } from './shape.ts'
import { onlyReads } from './toolsets.ts'

/** Names that other forges use; a call may use them, but they are not listed. */
export const ALIASES: Readonly<Record<string, string>> = {
  get_me: 'whoami',
  get_current_user: 'whoami',
  create_pull_request: 'create_pull',
  get_pull_request: 'get_pull',
  list_pull_requests: 'list_pulls',
  merge_pull_request: 'merge_pull',
  get_pull_request_diff: 'get_pull_changes',
  get_diff: 'get_pull_changes',
  add_issue_comment: 'add_comment',
  create_comment: 'add_comment',
  create_repository: 'create_repo',
  list_repositories: 'list_repos',
  get_repository: 'get_repo',
  get_file_contents: 'get_file',
  append_session_entries: 'append_session',
  get_session_entries: 'get_session',
  set_secret_variable: 'set_secret',
}

/** Aliases that also stand for an input. */
export const SEARCH_ALIASES: Readonly<Record<string, string>> = {
  search_code: 'code',
  search_issues: 'issues',
  search_repositories: 'repositories',
  search_users: 'people',
}

/** Inputs of the tool server itself; taken away before the operation is called. */
export const EXTRAS = {
  max_chars: { type: 'integer', minimum: 1000, maximum: 100_000, description: 'Longest answer.' },
  fields: { type: 'array', items: { type: 'string' }, description: 'Fields to keep.' },
  idempotency_key: { type: 'string', maxLength: 128, description: 'One key, one effect.' },
} as const satisfies Record<string, JsonSchema>

export type ToolPlan = {
  readonly operation: Operation
  readonly listing: Tool
  readonly withOutput: Tool
  readonly extras: ReadonlySet<keyof typeof EXTRAS>
  /** The names of the input at every depth, in their one spelling. */
  readonly shape: Shape
  /** Names of the fields of a list's items; null when they are not fixed. */
  readonly itemFields: ReadonlySet<string> | null
  readonly isList: boolean
  readonly reads: boolean
}

const LARGEST_INTEGER = 2_147_483_647

/**
 * A schema as a client is shown it: without what only the doors look at, and short, because every
 * tool is read by a model each time. What is left out here is still checked, and the error names
 * it.
 */
function plain(schema: JsonSchema): JsonSchema {
  const copy: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(schema)) {
    if (key.startsWith('x-') || key === '$id' || key === 'examples' || key === 'minLength') continue
    if (key === 'pattern' && schema.description !== undefined) continue
    if (
      (key === 'maxLength' && Number(value) > 1000) ||
      (key === 'maximum' && value === LARGEST_INTEGER)
    )
      continue
    if (key === 'patternProperties') continue
    if (key === 'properties')
      copy[key] = Object.fromEntries(
        Object.entries(value as Record<string, JsonSchema>).map(([name, inner]) => [
          name,
          plain(inner),
        ]),
      )
    else if (key === 'anyOf') Object.assign(copy, union(value as JsonSchema[]))
    else if (Array.isArray(value)) copy[key] = value
    else
      copy[key] = typeof value === 'object' && value !== null ? plain(value as JsonSchema) : value
  }
  return copy
}

/** One type or null as a list of types. */
function union(branches: readonly JsonSchema[]): JsonSchema {
  const others = branches.filter(({ type }) => type !== 'null').map(plain)
  const [only] = others
  if (
    others.length !== 1 ||
    !only ||
    typeof only.type !== 'string' ||
    others.length === branches.length
  )
    return { anyOf: branches.map(plain) }
  const words = only['enum']
  return {
    ...only,
    type: [only.type, 'null'],
    ...(Array.isArray(words) ? { enum: [...words, null] } : {}),
  }
}

const REPO: JsonSchema = { type: 'string', description: '<owner>/<name>' }

/** `close_issue` as people read it. */
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
  const schema = plain(input)
  const inputSchema = {
    ...schema,
    type: 'object' as const,
    properties: {
      ...schema.properties,
      ...(schema.properties?.['repo'] ? { repo: REPO } : {}),
      ...Object.fromEntries([...extras].map((name) => [name, EXTRAS[name]])),
    },
    additionalProperties: false,
  }
  const listing = {
    name: operation.name,
    description: operation.summary,
    inputSchema,
    annotations: annotationsOf(operation),
  } as unknown as Tool
  const items = output.properties?.['items']?.items
  return {
    operation,
    listing,
    withOutput:
      output.type === 'object'
        ? ({ ...listing, outputSchema: openEnded(plain(output)) } as unknown as Tool)
        : listing,
    extras,
    shape: shapeOf(input) ?? { kind: 'object', fields: new Map<string, Field>(), closed: true },
    itemFields: items?.properties ? new Set(Object.keys(items.properties)) : null,
    isList,
    reads,
  }
}

/** What an answer may have besides its record, and what a narrowed or cut answer may lack. */
const openEnded = (schema: JsonSchema): JsonSchema => ({
  type: 'object',
  properties: schema.properties,
})
