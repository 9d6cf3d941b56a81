/**
 * The everyday `tools/call`, answered without the protocol package, which makes a server for every
 * request and parses each with schemas of its own: three quarters of the cost of a call. What is
 * recognised here has only the parts that a call must have, each of the plainest kind; everything
 * else, and everything that is wrong, is left to the package. Both answer alike, byte for byte, and
 * a test holds them against each other.
 */
import type { CallToolResult, Implementation } from '@modelcontextprotocol/server'

type Json = Record<string, unknown>
export type PlainCall = {
  readonly id: string | number
  readonly name: string
  readonly args: Json | undefined
  readonly modern: boolean
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const hasOnly = (value: Json, allowed: readonly string[]): boolean =>
  Object.keys(value).every((key) => allowed.includes(key))

/** Versions that begin with initialize; a request need not name one. */
const EARLIER: ReadonlySet<string | null> = new Set([
  null,
  '2024-10-07',
  '2024-11-05',
  '2025-03-26',
  '2025-06-18',
  '2025-11-25',
])
const MODERN = '2026-07-28'
const META = 'io.modelcontextprotocol/'
const ENVELOPE = [`${META}protocolVersion`, `${META}clientInfo`, `${META}clientCapabilities`]

/** The envelope of a self-contained request, with nothing optional in it. */
function isPlainEnvelope(meta: unknown): boolean {
  if (!isObject(meta) || !hasOnly(meta, ENVELOPE) || meta[`${META}protocolVersion`] !== MODERN)
    return false
  const client = meta[`${META}clientInfo`]
  const capabilities = meta[`${META}clientCapabilities`]
  return (
    isObject(client) &&
    hasOnly(client, ['name', 'version']) &&
    typeof client['name'] === 'string' &&
    typeof client['version'] === 'string' &&
    isObject(capabilities) &&
    Object.keys(capabilities).length === 0
  )
}

/** Gives null for everything but a plain call. */
export function plainCallOf(headers: Headers, body: unknown): PlainCall | null {
  if (
    !isObject(body) ||
    body['jsonrpc'] !== '2.0' ||
    body['method'] !== 'tools/call' ||
    !hasOnly(body, ['jsonrpc', 'id', 'method', 'params'])
  )
    return null
  const { id, params } = body
  if (
    !(typeof id === 'string' || Number.isSafeInteger(id)) ||
    !isObject(params) ||
    !hasOnly(params, ['name', 'arguments', '_meta'])
  )
    return null
  const { name, arguments: args } = params
  if (
    typeof name !== 'string' ||
    !/^[a-z0-9_]+$/.test(name) ||
    !(args === undefined || isObject(args))
  )
    return null
  const call = { id: id as string | number, name, args }
  const version = headers.get('mcp-protocol-version')
  const [method, named] = [headers.get('mcp-method'), headers.get('mcp-name')]
  if (!('_meta' in params))
    return EARLIER.has(version) && method === null && named === null
      ? { ...call, modern: false }
      : null
  return version === MODERN &&
    method === 'tools/call' &&
    named === name &&
    isPlainEnvelope(params['_meta'])
    ? { ...call, modern: true }
    : null
}

/** The answer as the package would give it. */
export function plainAnswer(
  { id, modern }: PlainCall,
  result: CallToolResult,
  server: Implementation,
): Response {
  const whole = modern
    ? { ...result, resultType: 'complete', _meta: { [`${META}serverInfo`]: server } }
    : result
  return new Response(JSON.stringify({ result: whole, jsonrpc: '2.0', id }), {
    status: 200,
    headers: { 'content-type': 'application/json' },
  })
}
