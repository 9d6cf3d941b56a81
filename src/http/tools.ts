/** Operations as tools: their descriptions for a client, and the inputs that only tools have. */
import type { Tool } from '@modelcontextprotocol/server'
import type { Operation } from '#core/operation.ts'
import { asJsonSchema, type Field, type JsonSchema, type Shape, shapeOf } from './shape.ts'
import { onlyReads } from './toolsets.ts'

/** Names that other forges use; a call may use them, but they are not listed. */
export const ALIASES: Readonly<Record<string, string>> = {
  get_me: 'whoami', get_current_user: 'whoami', create_pull_request: 'create_pull', get_pull_request: 'get_pull', list_pull_requests: 'list_pulls',
  merge_pull_request: 'merge_pull', get_pull_request_diff: 'get_pull_changes', get_diff: 'get_pull_changes', add_issue_comment: 'add_comment',
  create_comment: 'add_comment', create_repository: 'create_repo', list_repositories: 'list_repos', get_repository: 'get_repo',
  get_file_contents: 'get_file', append_session_entries: 'append_session', get_session_entries: 'get_session', set_secret_variable: 'set_secret',
}

/** Aliases that also stand for an input. */
export const SEARCH_ALIASES: Readonly<Record<string, string>> = {
  search_code: 'code', search_issues: 'issues', search_repositories: 'repositories', search_users: 'people',
}

/** Inputs of the tool server itself; taken away before the operation is called. */
export const EXTRAS = {
  max_chars: { type: 'integer', minimum: 1000, maximum: 100_000, description: 'Cut the answer at this length (25000).' },
  fields: { type: 'array', items: { type: 'string' }, maxItems: 50, description: 'Keep only these fields of each item.' },
  idempotency_key: { type: 'string', minLength: 1, maxLength: 128, description: 'Repeating a call with the same key does its work once.' },
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

/** JSON Schema without what only the doors look at. */
function plain(schema: JsonSchema): JsonSchema {
  const copy: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(schema)) {
    if (key.startsWith('x-') || key === '$id' || key === 'examples') continue
    if (key === 'properties' || key === 'patternProperties') {
      copy[key] = Object.fromEntries(Object.entries(value as Record<string, JsonSchema>).map(([name, inner]) => [name, plain(inner)]))
    } else if (Array.isArray(value)) copy[key] = value.map((item: unknown) => (typeof item === 'object' && item !== null ? plain(item as JsonSchema) : item))
    else copy[key] = typeof value === 'object' && value !== null ? plain(value as JsonSchema) : value
  }
  return copy
}

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
    idempotentHint: idempotent ?? (reads || (methods.length > 0 && methods.every((method) => method === 'PUT' || method === 'DELETE'))),
    openWorldHint: openWorld ?? false,
  }
}

export function toolPlan(operation: Operation): ToolPlan {
  const input = asJsonSchema(operation.input)
  const output = asJsonSchema(operation.output)
  const reads = onlyReads(operation)
  const isList = output['x-list'] === true
  const wanted: (keyof typeof EXTRAS)[] = reads ? (isList ? ['fields', 'max_chars'] : ['max_chars']) : operation.routes.some((route) => route.startsWith('POST ')) ? ['idempotency_key'] : []
  const extras = new Set(wanted.filter((name) => !(name in (input.properties ?? {}))))
  const schema = plain(input)
  const inputSchema = {
    ...schema,
    type: 'object' as const,
    properties: { ...schema.properties, ...Object.fromEntries([...extras].map((name) => [name, EXTRAS[name]])) },
    additionalProperties: false,
  }
  const listing = {
    name: operation.name, title: titleOf(operation.name), description: operation.summary, inputSchema, annotations: annotationsOf(operation),
  } as unknown as Tool
  const items = output.properties?.['items']?.items
  return {
    operation,
    listing,
    withOutput: output.type === 'object' ? ({ ...listing, outputSchema: openEnded(plain(output)) } as unknown as Tool) : listing,
    extras,
    shape: shapeOf(input) ?? { kind: 'object', fields: new Map<string, Field>(), closed: true },
    itemFields: items?.properties ? new Set(Object.keys(items.properties)) : null,
    isList,
    reads,
  }
}

/** What an answer may have besides its record, and what a narrowed or cut answer may lack. */
const openEnded = (schema: JsonSchema): JsonSchema => ({ type: 'object', properties: schema.properties })
