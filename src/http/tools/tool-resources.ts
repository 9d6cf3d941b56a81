/** Resources of the tool server: what some tools read, by addresses that users can pick. */
import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  type ResourceTemplateType,
} from '@modelcontextprotocol/server'
import { Refusal } from '#lib/errors.ts'
import { percentDecode } from '../query.ts'
import type { ToolRequest, Tools } from './tools.ts'

type Json = Record<string, unknown>
type Contents = ReadResourceResult['contents'][number]

/** One kind of resource: its addresses, and the tool that reads it. */
export type ResourceKind = {
  readonly tool: string
  readonly template: ResourceTemplateType
  /**
   * The tool's input for an address; null for an address of another kind. Throws for one that
   * cannot be decoded.
   */
  inputOf(uri: string): Json | null
  /** Renders the contents where they are not the tool's output as JSON. */
  contentsOf?(uri: string, value: Json): Contents
}

const template = (
  name: string,
  uriTemplate: string,
  title: string,
  mimeType: string,
): ResourceTemplateType => ({ name, uriTemplate, title, mimeType })

const kind = (
  tool: string,
  form: RegExp,
  description: ResourceTemplateType,
  inputOf: (...parts: string[]) => Json,
  contentsOf?: ResourceKind['contentsOf'],
): ResourceKind => ({
  tool,
  template: description,
  inputOf: (uri) => {
    const match = form.exec(uri)
    return match && inputOf(...match.slice(1).map(percentDecode))
  },
  contentsOf,
})

/** A file as text or bytes. `truncated` tells that a long one was cut. */
function fileContents(uri: string, { content, encoding, truncated }: Json): Contents {
  const cut = truncated === true ? { _meta: { truncated } } : {}
  if (typeof content !== 'string') throw new TypeError('a file without its content')
  return encoding === 'base64'
    ? { uri, mimeType: 'application/octet-stream', blob: content, ...cut }
    : { uri, mimeType: 'text/plain', text: content, ...cut }
}

export const RESOURCES: readonly ResourceKind[] = [
  kind(
    'get_file',
    /^hearth:\/\/([^/]+)\/([^/]+)\/file\/([^/]+)\/(.+)$/,
    template(
      'file',
      'hearth://{owner}/{name}/file/{ref}/{+path}',
      'A file of a repository; slashes of the ref are percent-encoded',
      'text/plain',
    ),
    (owner, name, ref, path) => ({ repo: `${owner}/${name}`, ref, path }),
    fileContents,
  ),
  kind(
    'get_issue',
    /^hearth:\/\/([^/]+)\/([^/]+)\/issue\/(\d{1,10})$/,
    template(
      'issue',
      'hearth://{owner}/{name}/issue/{number}',
      'An issue with its comments and pull requests',
      'application/json',
    ),
    (owner, name, number) => ({ repo: `${owner}/${name}`, number }),
  ),
  kind(
    'get_pull',
    /^hearth:\/\/([^/]+)\/([^/]+)\/pull\/(\d{1,10})$/,
    template(
      'pull',
      'hearth://{owner}/{name}/pull/{number}',
      'A pull request with its reviews and checks',
      'application/json',
    ),
    (owner, name, number) => ({ repo: `${owner}/${name}`, number }),
  ),
  kind(
    'get_pull_changes',
    /^hearth:\/\/([^/]+)\/([^/]+)\/pull\/(\d{1,10})\/diff$/,
    template(
      'diff',
      'hearth://{owner}/{name}/pull/{number}/diff',
      'What a pull request changes',
      'application/json',
    ),
    (owner, name, number) => ({ repo: `${owner}/${name}`, number }),
  ),
]

/** The kinds whose tools this forge has. */
export const templatesOf = (kinds: readonly ResourceKind[], tools: Tools): ResourceTemplateType[] =>
  kinds.filter(({ tool }) => tools.has(tool)).map((one) => one.template)

function find(
  kinds: readonly ResourceKind[],
  uri: string,
): { kind: ResourceKind; input: Json } | null {
  for (const one of kinds) {
    try {
      const input = one.inputOf(uri)
      if (input) return { kind: one, input }
    } catch {
      return null
    }
  }
  return null
}

/** Throws protocol errors: one for what is missing or hidden, one for a malformed address. */
export async function readResource(
  kinds: readonly ResourceKind[],
  tools: Tools,
  request: ToolRequest,
  uri: string,
): Promise<ReadResourceResult> {
  const found = find(kinds, uri)
  if (!found || !tools.has(found.kind.tool)) throw new ResourceNotFoundError(uri)
  const {
    kind: { tool, contentsOf },
    input,
  } = found
  try {
    // Plain text and bytes cannot say where they were cut, so only the operation itself cuts them.
    const value = await tools.answer(request, tool, input, contentsOf !== undefined)
    return {
      contents: [
        contentsOf
          ? contentsOf(uri, value)
          : { uri, mimeType: 'application/json', text: JSON.stringify(value) },
      ],
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (error.code === 'not_found') throw new ResourceNotFoundError(uri, error.message)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message, error.body(request.id))
  }
}
