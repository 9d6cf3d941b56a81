/**
 * Completions for the arguments of prompts and for parts of resource addresses. They contain only
 * what the caller can see.
 */
import { type CompleteResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { Refusal } from '#lib/errors.ts'
import { type PromptKind, requirePrompt } from './tool-prompts.ts'
import type { ResourceKind } from './tool-resources.ts'
import type { ToolRequest, Tools } from './tools.ts'

export type Suggestion = 'repo' | 'owner' | 'name' | 'issue' | 'pull' | 'branch'

type Arguments = Readonly<Record<string, string>>
type Json = Record<string, unknown>

const MAX_VALUES = 100

/**
 * The list tool that has the values, its input, and the field of an item that is the value. Null if
 * an argument that it depends on is missing.
 */
function sourceOf(
  suggestion: Suggestion,
  typed: string,
  given: Arguments,
): { tool: string; input: Json; valueOf(item: Json): unknown } | null {
  const repo =
    given.repo ?? (given.owner && given.name ? `${given.owner}/${given.name}` : undefined)
  const within = (tool: string, key: string) =>
    repo === undefined
      ? null
      : {
          tool,
          input: { repo, per_page: MAX_VALUES, ...(key === 'number' ? { state: 'all' } : {}) },
          valueOf: (item: Json) => item[key],
        }
  const repos = (q: string, more: Json, valueOf: (item: Json) => unknown) => ({
    tool: 'list_repos',
    input: { ...(q === '' ? {} : { q }), ...more, per_page: MAX_VALUES },
    valueOf,
  })
  switch (suggestion) {
    case 'repo': {
      const [owner = '', name] = typed.split('/')
      return name === undefined
        ? repos('', {}, (item) => item.full_name)
        : repos(name, { workspace: owner.toLowerCase() }, (item) => item.full_name)
    }
    case 'owner':
      return repos('', {}, (item) => item.workspace)
    case 'name':
      return given.owner
        ? repos(typed, { workspace: given.owner.toLowerCase() }, (item) => item.name)
        : null
    case 'issue':
      return within('list_issues', 'number')
    case 'pull':
      return within('list_pulls', 'number')
    case 'branch':
      return within('list_branches', 'name')
  }
}

async function suggest(
  tools: Tools,
  request: ToolRequest,
  suggestion: Suggestion,
  typed: string,
  given: Arguments,
): Promise<string[]> {
  const source = sourceOf(suggestion, typed, given)
  if (!source || !tools.has(source.tool)) return []
  try {
    const { items } = await tools.answer(request, source.tool, source.input, true)
    const values = (Array.isArray(items) ? items : []).map((item) =>
      String(source.valueOf(item as Json)),
    )
    return [...new Set(values)].filter((value) =>
      value.toLowerCase().startsWith(typed.toLowerCase()),
    )
  } catch (error) {
    // A list that the caller may not read has no completions.
    if (error instanceof Refusal) return []
    throw error
  }
}

const ADDRESS_PARTS: Readonly<Record<string, Suggestion>> = {
  owner: 'owner',
  name: 'name',
  ref: 'branch',
}

export type CompletionRequest = {
  readonly ref: { readonly type: string; readonly name?: string; readonly uri?: string }
  readonly argument: { readonly name: string; readonly value: string }
  readonly context?: { readonly arguments?: Arguments }
}

/** Throws a protocol error for an unknown prompt or template. */
export async function complete(
  parts: { prompts: readonly PromptKind[]; resources: readonly ResourceKind[] },
  tools: Tools,
  request: ToolRequest,
  { ref, argument, context }: CompletionRequest,
): Promise<CompleteResult> {
  let suggestion: Suggestion | undefined
  if (ref.type === 'ref/prompt') {
    suggestion = requirePrompt(parts.prompts, ref.name ?? '').arguments.find(
      ({ name }) => name === argument.name,
    )?.suggest
  } else {
    const found = parts.resources.find(({ template }) => template.uriTemplate === ref.uri)
    if (!found)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        'there is no such template of resources',
      )
    suggestion =
      argument.name === 'number'
        ? found.tool === 'get_issue'
          ? 'issue'
          : 'pull'
        : ADDRESS_PARTS[argument.name]
  }
  const values =
    suggestion === undefined
      ? []
      : await suggest(tools, request, suggestion, argument.value, context?.arguments ?? {})
  return {
    completion: { values: values.slice(0, MAX_VALUES), total: values.length, hasMore: false },
  }
}
