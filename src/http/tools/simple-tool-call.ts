/**
 * Handles the usual `tools/call` and `tools/list` without the protocol package. The package creates
 * a server for each request and parses it with schemas of its own, which takes longer than most
 * tools: a call of `get_repo` takes 90 µs of CPU here and 190 µs through the package. So this stays
 * as long as the package has no cheaper way.
 *
 * A simple request has only the parts that every such request has. Anything else, and anything
 * malformed, goes to the package. Both give the same bytes; `simple-tool-call.test.ts` compares
 * them.
 */
import { isObject } from '#lib/json-value.ts'
import type { CallToolResult, Implementation, Tool } from '@modelcontextprotocol/server'

type Json = Record<string, unknown>
export type SimpleCall = {
  readonly id: string | number
  readonly name: string
  readonly args: Json | undefined
  readonly isModern: boolean
}

export type SimpleList = {
  readonly id: string | number
  readonly isModern: boolean
}

const hasOnly = (value: Json, allowed: readonly string[]): boolean =>
  Object.keys(value).every((key) => allowed.includes(key))

/** Protocol versions that begin with `initialize`. A request need not name one. */
const LEGACY_VERSIONS: ReadonlySet<string | null> = new Set([
  null,
  '2024-10-07',
  '2024-11-05',
  '2025-03-26',
  '2025-06-18',
  '2025-11-25',
])
const MODERN_VERSION = '2026-07-28'
const META = 'io.modelcontextprotocol/'
const ENVELOPE_FIELDS = [`${META}protocolVersion`, `${META}clientInfo`, `${META}clientCapabilities`]

/** The envelope of a self-contained request, with nothing optional in it. */
function isSimpleEnvelope(meta: unknown): boolean {
  if (
    !isObject(meta) ||
    !hasOnly(meta, ENVELOPE_FIELDS) ||
    meta[`${META}protocolVersion`] !== MODERN_VERSION
  )
    return false
  const client = meta[`${META}clientInfo`]
  const capabilities = meta[`${META}clientCapabilities`]
  return (
    isObject(client) &&
    hasOnly(client, ['name', 'version']) &&
    typeof client.name === 'string' &&
    typeof client.version === 'string' &&
    isObject(capabilities) &&
    Object.keys(capabilities).length === 0
  )
}

/** The id and the parameters of a request of this method; null for another or a malformed one. */
function parseRequest(
  body: unknown,
  wanted: string,
): { id: string | number; params: unknown } | null {
  if (
    !isObject(body) ||
    body.jsonrpc !== '2.0' ||
    body.method !== wanted ||
    !hasOnly(body, ['jsonrpc', 'id', 'method', 'params'])
  )
    return null
  const { id, params } = body
  if (!(typeof id === 'string' || Number.isSafeInteger(id))) return null
  return { id: id as string | number, params }
}

/** Null for anything but a simple call. */
export function parseSimpleCall(headers: Headers, body: unknown): SimpleCall | null {
  const request = parseRequest(body, 'tools/call')
  if (request === null) return null
  const { id, params } = request
  if (!isObject(params) || !hasOnly(params, ['name', 'arguments', '_meta'])) return null
  const { name, arguments: args } = params
  if (
    typeof name !== 'string' ||
    !/^[a-z0-9_]+$/.test(name) ||
    !(args === undefined || isObject(args))
  )
    return null
  const call = { id, name, args }
  const version = headers.get('mcp-protocol-version')
  const [method, tool] = [headers.get('mcp-method'), headers.get('mcp-name')]
  if (!('_meta' in params))
    return LEGACY_VERSIONS.has(version) && method === null && tool === null
      ? { ...call, isModern: false }
      : null
  return version === MODERN_VERSION &&
    method === 'tools/call' &&
    tool === name &&
    isSimpleEnvelope(params._meta)
    ? { ...call, isModern: true }
    : null
}

/** Null for anything but a simple request of the whole list. */
export function parseSimpleList(headers: Headers, body: unknown): SimpleList | null {
  const request = parseRequest(body, 'tools/list')
  if (request === null) return null
  const { id, params } = request
  if (params !== undefined && !(isObject(params) && hasOnly(params, ['_meta']))) return null
  const version = headers.get('mcp-protocol-version')
  const method = headers.get('mcp-method')
  if (headers.get('mcp-name') !== null) return null
  if (params === undefined || !('_meta' in params))
    return LEGACY_VERSIONS.has(version) && method === null ? { id, isModern: false } : null
  return version === MODERN_VERSION && method === 'tools/list' && isSimpleEnvelope(params._meta)
    ? { id, isModern: true }
    : null
}

/** The body of the response to `tools/list` that the package would give. */
export function simpleListText(
  { id, isModern }: SimpleList,
  tools: readonly Tool[],
  server: Implementation,
): string {
  const result = isModern
    ? {
        tools,
        resultType: 'complete',
        ttlMs: 0,
        cacheScope: 'private',
        _meta: { [`${META}serverInfo`]: server },
      }
    : { tools }
  return JSON.stringify({ result, jsonrpc: '2.0', id })
}

/** The response that the package would give. */
export function simpleCallResponse(
  { id, isModern }: SimpleCall,
  result: CallToolResult,
  server: Implementation,
): Response {
  const complete = isModern
    ? { ...result, resultType: 'complete', _meta: { [`${META}serverInfo`]: server } }
    : result
  return new Response(JSON.stringify({ result: complete, jsonrpc: '2.0', id }), {
    status: 200,
    headers: { 'content-type': 'application/json' },
  })
}
