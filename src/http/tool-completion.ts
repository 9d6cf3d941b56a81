/**
 * Values that are offered while a person types the argument of a prompt or a part of a resource's
 * address: only what the caller can see.
 */
import { ProtocolError, ProtocolErrorCode, type CompleteResult } from '@modelcontextprotocol/server'
import { Refusal } from '#lib/errors.ts'
import type { Connection, Tools } from './tool-calls.ts'
import { requirePrompt, type PromptKind } from './tool-prompts.ts'
import type { ResourceKind } from './tool-resources.ts'

export type Suggestion = 'repo' | 'owner' | 'name' | 'issue' | 'pull' | 'branch'

type Given = Readonly<Record<string, string>>
type Json = Record<string, unknown>

const MOST = 100

/**
 * Which list answers, with what input, and which text of an item is the value. Null when too little
 * was typed before.
 */
function sourceOf(
  suggestion: Suggestion,
  typed: string,
  given: Given,
): { tool: string; input: Json; valueOf(item: Json): unknown } | null {
  const repo =
    given['repo'] ??
    (given['owner'] && given['name'] ? `${given['owner']}/${given['name']}` : undefined)
  const within = (tool: string, key: string) =>
    repo === undefined
      ? null
      : {
          tool,
          input: { repo, per_page: MOST, ...(key === 'number' ? { state: 'all' } : {}) },
          valueOf: (item: Json) => item[key],
        }
  const repos = (q: string, more: Json, valueOf: (item: Json) => unknown) => ({
    tool: 'list_repos',
    input: { ...(q === '' ? {} : { q }), ...more, per_page: MOST },
    valueOf,
  })
  switch (suggestion) {
    case 'repo': {
      const [owner = '', name] = typed.split('/')
      return name === undefined
        ? repos('', {}, (item) => item['full_name'])
        : repos(name, { workspace: owner.toLowerCase() }, (item) => item['full_name'])
    }
    case 'owner':
      return repos('', {}, (item) => item['workspace'])
    case 'name':
      return given['owner']
        ? repos(typed, { workspace: given['owner'].toLowerCase() }, (item) => item['name'])
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
  connection: Connection,
  suggestion: Suggestion,
  typed: string,
  given: Given,
): Promise<string[]> {
  const source = sourceOf(suggestion, typed, given)
  if (!source || !tools.has(source.tool)) return []
  try {
    const { items } = await tools.answer(connection, source.tool, source.input, true)
    const values = (Array.isArray(items) ? items : []).map((item) =>
      String(source.valueOf(item as Json)),
    )
    return [...new Set(values)].filter((value) =>
      value.toLowerCase().startsWith(typed.toLowerCase()),
    )
  } catch (error) {
    // What cannot be listed is not offered.
    if (error instanceof Refusal) return []
    throw error
  }
}

const OF_ADDRESS: Readonly<Record<string, Suggestion>> = {
  owner: 'owner',
  name: 'name',
  ref: 'branch',
}

export type Asked = {
  readonly ref: { readonly type: string; readonly name?: string; readonly uri?: string }
  readonly argument: { readonly name: string; readonly value: string }
  readonly context?: { readonly arguments?: Given }
}

/** Gives an error of the protocol for a prompt or template that is none. */
export async function complete(
  parts: { prompts: readonly PromptKind[]; resources: readonly ResourceKind[] },
  tools: Tools,
  connection: Connection,
  { ref, argument, context }: Asked,
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
        : OF_ADDRESS[argument.name]
  }
  const values =
    suggestion === undefined
      ? []
      : await suggest(tools, connection, suggestion, argument.value, context?.arguments ?? {})
  return { completion: { values: values.slice(0, MOST), total: values.length, hasMore: false } }
}
