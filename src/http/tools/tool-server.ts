/**
 * The tool server (Model Context Protocol): the operations as tools for agents. Both generations of
 * the protocol are served without sessions and with JSON responses: the one that begins with
 * `initialize` (up to 2025-11-25), and the self-contained requests of 2026-07-28. Every request is
 * authenticated, the first too.
 *
 * Nothing is stored between two requests. So the server does not offer what would need that:
 * subscriptions, a log level of a session, requests to the client during a call. A call that
 * reports its progress is responded to with an event stream.
 */
import type { Implementation } from '@modelcontextprotocol/server'
import { standingKey } from '#core/access.ts'
import type { AgentToolRequest } from '#core/agent-tools.ts'
import { nowhere } from '#core/audit.ts'
import type { Hearth } from '#core/hearth.ts'
import { cache } from '#core/service.ts'
import { type Cache, createCache } from '#lib/cache.ts'
import { Refusal } from '#lib/errors.ts'
import { MINUTE } from '#lib/time.ts'
import { callerOf } from '../authenticate.ts'
import { mediaTypeOf, MIB } from '../body.ts'
import { CompressedText, compressedResponse } from '../compression.ts'
import type { Exchange, HttpRoute, RenderRefusal } from '../exchange.ts'
import { trimTrailingSlashes } from '#lib/trim-slashes.ts'
import { parseJson } from '#lib/parse-json.ts'
import { challengeFor, renderJsonRefusal, resourceMetadataUrl } from '../responses.ts'
import { connectionScopes } from './connection-scopes.ts'
import type { ProtocolServer, ProtocolServerOptions } from './protocol-server.ts'
import {
  parseSimpleCall,
  parseSimpleList,
  type SimpleList,
  simpleCallResponse,
  simpleListText,
} from './simple-tool-call.ts'
import { type Selection, selectionOf } from './tool-selection.ts'
import { type ToolRequest, Tools } from './tools.ts'

const DEFAULT_MAX_REQUEST_BYTES = 4 * MIB
const MAX_SELECTIONS = 256
/** Selections with a longer address are computed each time. */
const MAX_CACHED_ADDRESS_LENGTH = 2000
/** Ids of requests are small numbers, which clients count up. A longer one is a text of its own. */
const MAX_CACHED_ID_LENGTH = 20

/**
 * Responses to `tools/list`, as text and compressed: by what selects the tools and by the id of the
 * request. The list of all tools is 500 KB, and the compressed forms are a fifth of the text.
 */
const toolListings = cache<CompressedText>('tool-listings', {
  maxSize: 4 * MIB,
  sizeOf: ({ text }) => text.length * 1.5,
})

/** Whether a call asks to wait for output or answers, as agents do, many at once. */
const isWaitingCall = (body: unknown): boolean =>
  (body as { params?: { arguments?: { wait?: unknown } | null } | null } | null)?.params?.arguments
    ?.wait !== undefined

/** Errors outside of the protocol: 401 and 403 with their challenge. */
const renderRefusal: RenderRefusal = (exchange, refusal) => {
  const response = renderJsonRefusal(exchange, refusal)
  const { hearth, path, query } = exchange
  const below = trimTrailingSlashes(path).slice('/mcp'.length)
  const { readonly, scopes } = connectionScopes(hearth, path, query)
  const challenge = challengeFor(
    refusal,
    // The query says which scopes the connection needs, so the metadata has to know it.
    `${resourceMetadataUrl(hearth.settings, 'mcp')}${below}${readonly && query !== '' ? `?${query}` : ''}`,
    scopes.length > 0 ? scopes.join(' ') : null,
  )
  if (challenge !== null) response.headers.set('www-authenticate', challenge)
  response.headers.delete('access-control-allow-origin')
  return response
}

const jsonRpcError = (status: number, code: number, message: string): Response =>
  Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status })

export type ToolServerOptions = ProtocolServerOptions & {
  /** False sends every request through the protocol package (`simple-tool-call.ts`). */
  readonly simpleCalls?: boolean
}

/** The same response, compressed as the client asks. A stream of events stays as it is. */
async function compressJson(request: Request, response: Response): Promise<Response> {
  const { status, headers } = response
  if (headers.get('content-type') !== 'application/json') return response
  if (headers.has('content-encoding')) return response
  if (request.headers.get('accept-encoding') === null) return response
  return compressedResponse(request, await response.text(), { status, headers })
}

/** Pages of browsers name their origin; only allowed ones may call (transports, security). */
function withCors(response: Response, origin: string | null): Response {
  if (origin !== null) {
    response.headers.set('access-control-allow-origin', origin)
    response.headers.set(
      'access-control-expose-headers',
      'www-authenticate, x-request-id, mcp-protocol-version',
    )
    response.headers.set('vary', 'origin, authorization, accept-encoding')
  }
  response.headers.set('cache-control', 'no-store')
  response.headers.set('x-content-type-options', 'nosniff')
  return response
}

const PREFLIGHT_HEADERS = {
  allow: 'OPTIONS, POST',
  'access-control-allow-methods': 'POST',
  'access-control-max-age': '7200',
  'access-control-allow-headers':
    'authorization, content-type, accept, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name, x-mcp-toolsets, last-event-id',
}

function requirePost({ method }: Pick<Request, 'method'>, allow: string): void {
  if (method !== 'POST')
    throw new Refusal(
      'method_not_allowed',
      'the tool server takes POST alone; it keeps no streams',
      { headers: { allow } },
    )
}

/** Headers of the protocol, which an agent in its box may send. */
const AGENT_HEADERS = ['accept', 'mcp-protocol-version', 'mcp-method', 'mcp-name']
const AGENT_TIMEOUT_MS = MINUTE

/** The JSON of a request, or the answer to what is none. Throws 413 for what is too large. */
function readMessage(bytes: Uint8Array): unknown {
  try {
    return parseJson(bytes)
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'too_large') throw error
    return jsonRpcError(400, -32700, `Parse error: ${error.message}`)
  }
}

export class ToolServer {
  readonly routes: readonly HttpRoute[]
  readonly #tools: Tools
  readonly #simpleCalls: boolean
  readonly #protocolOptions: ProtocolServerOptions
  readonly #serverInfo: Implementation
  readonly #maxRequestBytes: number
  readonly #allowedOrigins: ReadonlySet<string>
  /** Clients use one address all the time, and what it selects does not change. */
  readonly #selections: Cache<Selection> = createCache({
    maxSize: MAX_SELECTIONS,
    sizeOf: () => 1,
  })
  readonly #listings: Cache<CompressedText>
  /** What needs the protocol package, from the first request that does. */
  #protocol: Promise<ProtocolServer> | null = null

  constructor(
    private readonly hearth: Hearth,
    { simpleCalls = true, ...protocolOptions }: ToolServerOptions = {},
  ) {
    const { settings, operations } = hearth
    this.#tools = new Tools(hearth)
    this.#listings = toolListings(hearth)
    this.#protocolOptions = protocolOptions
    this.#simpleCalls = simpleCalls
    this.#serverInfo = {
      name: 'hearth',
      title: 'Hearth',
      version: settings.version,
      websiteUrl: settings.site_url,
    }
    const bodyLimits = operations.map(({ bodyLimit }) => bodyLimit ?? 0)
    this.#maxRequestBytes = Math.max(DEFAULT_MAX_REQUEST_BYTES, ...bodyLimits)
    this.#allowedOrigins = new Set([new URL(settings.site_url).origin, ...settings.mcp_origins])
    const handler = (exchange: Exchange): Promise<Response> => this.#handle(exchange)
    this.routes = ['/mcp', '/mcp/*'].map((path) => ({ path, handler, renderRefusal }))
  }

  async close(): Promise<void> {
    await (await this.#protocol)?.close()
  }

  async #handle(exchange: Exchange): Promise<Response> {
    const { request } = exchange
    const origin = request.headers.get('origin')
    if (origin !== null && !this.#allowedOrigins.has(origin))
      throw new Refusal(
        'forbidden',
        `pages of ${origin.slice(0, 200)} may not call this tool server`,
      )
    if (request.method === 'OPTIONS')
      return withCors(new Response(null, { status: 204, headers: PREFLIGHT_HEADERS }), origin)
    const toolRequest = this.#authenticate(exchange)
    requirePost(request, 'OPTIONS, POST')
    if (mediaTypeOf(request.headers.get('content-type')) !== 'application/json')
      return withCors(jsonRpcError(415, -32000, 'the body must be application/json'), origin)
    const bytes = await exchange.body.bytes({ maxBytes: this.#maxRequestBytes })
    const body = readMessage(bytes)
    if (body instanceof Response) return withCors(body, origin)
    if (isWaitingCall(body)) exchange.leaveTurn()
    const response = await this.#respond(request, toolRequest, body)
    exchange.operation = toolRequest.tool
    if (toolRequest.rateRefusal) throw toolRequest.rateRefusal
    const answer = toolRequest.showsSecret ? response : await compressJson(request, response)
    return withCors(answer, origin)
  }

  /** Responds to an agent in its box. Nothing that its request carries says who it is. */
  async answerAgent({
    request,
    body: bytes,
    caller,
    currentCaller,
    listed,
  }: AgentToolRequest): Promise<Response> {
    requirePost(request, 'POST')
    const body = readMessage(bytes)
    if (body instanceof Response) return body
    const query = `tools=${listed.join(',')}&discover=true`
    const { url, signal } = request
    const headers = new Headers({ 'content-type': 'application/json' })
    for (const name of AGENT_HEADERS) {
      const value = request.headers.get(name)
      if (value !== null) headers.set(name, value)
    }
    const own = new Request(url, { method: 'POST', headers, signal })
    return await this.#respond(
      own,
      {
        id: crypto.randomUUID(),
        caller,
        credential: `agent ${caller.id}`,
        selection: this.#selectionOf(query, { path: '/mcp', query, header: null }),
        selectionKey: query,
        signal,
        origin: nowhere,
        deadlineMs: performance.now() + AGENT_TIMEOUT_MS,
        progress: null,
        rateRefusal: null,
        showsSecret: false,
        tool: null,
        currentCaller: () => currentCaller() ?? { kind: 'anonymous' },
      },
      body,
    )
  }

  /** Throws 401 and 403 for callers that may use no tool. */
  #authenticate(exchange: Exchange): ToolRequest {
    const { request, path, query } = exchange
    const caller = (exchange.caller = callerOf(this.hearth, request, query))
    if (caller.kind === 'anonymous')
      throw new Refusal(
        'unauthenticated',
        'the tool server needs a token: send it as "Authorization: Bearer <token>"',
      )
    if (caller.kind === 'user' && caller.suspended)
      throw new Refusal('forbidden', 'this account is suspended', { reason: 'suspended' })
    // A token that was issued for another resource is not valid here (specification, authorization,
    // token audience).
    if (caller.token?.audience === 'api')
      throw new Refusal(
        'unauthenticated',
        'this token was made for the REST API, not for the tool server',
        { reason: 'invalid_token' },
      )
    const header = request.headers.get('x-mcp-toolsets')
    const selectionKey = `${path}?${query}\n${header ?? ''}`
    return {
      id: exchange.id,
      caller,
      credential: request.headers.get('authorization') ?? '',
      selection: this.#selectionOf(selectionKey, { path, query, header }),
      selectionKey,
      // Created on demand, because most calls need neither.
      get signal() {
        return request.signal
      },
      get origin() {
        return exchange.origin
      },
      deadlineMs: exchange.deadlineMs,
      progress: null,
      rateRefusal: null,
      showsSecret: false,
      tool: null,
      currentCaller: () => callerOf(this.hearth, request, query),
    }
  }

  #selectionOf(
    key: string,
    { path, query, header }: { path: string; query: string; header: string | null },
  ): Selection {
    let selection = this.#selections.get(key)
    if (!selection) {
      selection = selectionOf(path, query, header, this.hearth.operations)
      if (key.length < MAX_CACHED_ADDRESS_LENGTH) this.#selections.set(key, selection)
    }
    return selection
  }

  async #respond(request: Request, toolRequest: ToolRequest, body: unknown): Promise<Response> {
    const simple = this.#simpleCalls ? parseSimpleCall(request.headers, body) : null
    if (simple && this.#tools.has(simple.name)) {
      const result = await this.#tools.call(toolRequest, simple.name, simple.args)
      return simpleCallResponse(simple, result, this.#serverInfo)
    }
    const list = this.#simpleCalls ? parseSimpleList(request.headers, body) : null
    if (list) return this.#respondList(request, toolRequest, list)
    return (await this.#loadProtocol()).respond(request, toolRequest, body)
  }

  #respondList(
    request: Request,
    toolRequest: ToolRequest,
    list: SimpleList,
  ): Response | Promise<Response> {
    const { selectionKey, caller } = toolRequest
    const key = JSON.stringify([list.id, list.isModern, selectionKey, standingKey(caller)])
    let listing = this.#listings.get(key)
    if (!listing) {
      const tools = this.#tools.list(toolRequest)
      listing = new CompressedText(simpleListText(list, tools, this.#serverInfo))
      if (
        selectionKey.length < MAX_CACHED_ADDRESS_LENGTH &&
        String(list.id).length < MAX_CACHED_ID_LENGTH
      )
        this.#listings.set(key, listing)
    }
    return listing.response(request, { headers: { 'content-type': 'application/json' } })
  }

  /** A failure to load is not kept: the next request tries again. */
  #loadProtocol(): Promise<ProtocolServer> {
    this.#protocol ??= import('./protocol-server.ts')
      .then(
        ({ ProtocolServer }) =>
          new ProtocolServer(this.hearth, this.#tools, this.#serverInfo, this.#protocolOptions),
      )
      .catch((error: unknown) => {
        this.#protocol = null
        throw error
      })
    return this.#protocol
  }
}
