/**
 * The routes of the authorization server (OAuth 2.1): metadata, registration, tokens, revocation.
 * They use OAuth's own error bodies and take forms as well as JSON. Only the names of the
 * operations behind them are known here. The consent page is a page of the website.
 *
 * There are two issuers, because clients look in different places. The metadata of the site is at
 * the root. The metadata of the REST API is below it and, with the path inserted, at the root (RFC
 * 8414 section 3.1).
 */
import { anonymous } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { call, type Operation } from '#core/operation.ts'
import { SCOPES } from '#core/scopes.ts'
import { Refusal } from '#lib/errors.ts'
import { parseJson } from '#lib/parse-json.ts'
import { KIB, mediaTypeOf, parseUrlEncoded } from './body.ts'
import type { Exchange, HttpRoute, RenderRefusal, RequestHandler } from './exchange.ts'
import { allowHeader, jsonHeaders, jsonResponse, methodNotAllowed } from './responses.ts'

const MAX_BODY_BYTES = 64 * KIB

/** Authorization server metadata (RFC 8414 section 2). */
function metadata({ settings }: Hearth, issuer: string): Record<string, unknown> {
  return {
    issuer,
    // The one consent page. A registered client's id names its issuer, so `iss` matches.
    authorization_endpoint: `${settings.site_url}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    registration_endpoint: `${issuer}/oauth/register`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    scopes_supported: SCOPES,
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    service_documentation: `${settings.site_url}/docs`,
  }
}

/** Pages of other sites may call these routes, because cookies are ignored. */
const CORS_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'authorization, content-type, accept, mcp-protocol-version',
  'access-control-max-age': '7200',
}

/** Passes requests of one method on, responds to OPTIONS, and refuses other methods. */
const withMethod = (method: 'GET' | 'POST', handler: RequestHandler): RequestHandler => {
  const allow = allowHeader([method])
  return (exchange) => {
    const { method: requested } = exchange.request
    if (requested === 'OPTIONS')
      return new Response(null, {
        status: 204,
        headers: { allow, 'access-control-allow-methods': allow, ...CORS_HEADERS },
      })
    if (exchange.method !== method) throw methodNotAllowed(requested, allow)
    return handler(exchange)
  }
}

const invalidRequest = (message: string): Refusal =>
  new Refusal('bad_request', message, { reason: 'invalid_request' })

/**
 * The parameters of a request: text in a form, any values in JSON. Throws `invalid_request` for a
 * parameter that is sent twice (RFC 6749 section 3.2) and for a body that cannot be read.
 */
async function readParameters({ request, body }: Exchange): Promise<Record<string, unknown>> {
  const type = mediaTypeOf(request.headers.get('content-type'))
  const bytes = await body.bytes({ maxBytes: MAX_BODY_BYTES })
  if (type === 'application/json') {
    let value: unknown
    try {
      value = parseJson(bytes)
    } catch (error) {
      throw error instanceof Refusal ? invalidRequest(error.message) : error
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw invalidRequest('the body must be a JSON object')
    return value as Record<string, unknown>
  }
  if (type !== 'application/x-www-form-urlencoded' && bytes.length > 0)
    throw invalidRequest(
      'the body must be a form (application/x-www-form-urlencoded) or application/json',
    )
  const values: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  for (const [name, value] of parseUrlEncoded(bytes)) {
    if (name in values && values[name] !== value) {
      // RFC 8707 section 2 allows several resources; a token here is for one or for the whole site.
      if (name === 'resource')
        throw new Refusal('bad_request', 'name one resource', { reason: 'invalid_target' })
      throw invalidRequest(`${name.slice(0, 60)} was sent twice`)
    }
    values[name] = value
  }
  return values
}

/**
 * The client id in HTTP Basic (RFC 6749 section 2.3.1), with an empty secret, because all clients
 * are public. Some libraries try this before they send the id in the body.
 */
function parseBasicClientId(header: string | null): string | null {
  const encoded = /^basic +([A-Za-z0-9+/=]+)$/i.exec(header ?? '')?.[1]
  if (header === null || header === '') return null
  const [id = '', secret = ''] =
    encoded === undefined ? [] : Buffer.from(encoded, 'base64').toString('utf8').split(/:(.*)/s)
  if (id === '' || secret !== '')
    throw new Refusal('bad_request', 'clients have no secret here: send client_id in the body', {
      reason: 'invalid_client',
    })
  try {
    return decodeURIComponent(id.replaceAll('+', ' '))
  } catch {
    return id
  }
}

/** Unknown and empty parameters are ignored (RFC 6749 section 3.1). */
function inputOf(
  { input }: Operation,
  parameters: Record<string, unknown>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(parameters).filter(
      ([name, value]) => name in input.properties && value !== '' && value !== null,
    ),
  )
}

const ERROR_STATUS: Readonly<Partial<Record<Refusal['code'], number>>> = {
  method_not_allowed: 405,
  too_large: 413,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
}

/** The error body of OAuth (RFC 6749 section 5.2), with status 400 for faults of the client. */
const renderOAuthRefusal: RenderRefusal = (exchange, refusal) => {
  const status = ERROR_STATUS[refusal.code] ?? 400
  const error =
    refusal.code === 'bad_request' && refusal.reason !== null
      ? refusal.reason
      : status >= 500
        ? 'server_error'
        : 'invalid_request'
  const headers = jsonHeaders(exchange)
  headers.set('cache-control', 'no-store')
  headers.set('pragma', 'no-cache')
  for (const [name, value] of Object.entries(refusal.headers)) headers.set(name, value)
  return new Response(
    JSON.stringify({
      error,
      error_description: refusal.message.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, "'"),
    }),
    { status, headers },
  )
}

type OAuthOperations = {
  readonly register: Operation
  readonly token: Operation
  readonly revoke: Operation
}

function findOperations({ operationsByName }: Hearth): OAuthOperations | null {
  const register = operationsByName.get('register_client')
  const token = operationsByName.get('exchange_token')
  const revoke = operationsByName.get('revoke_oauth_token')
  return register && token && revoke ? { register, token, revoke } : null
}

/** Calls an operation with the parameters of the request and with `extra`. */
async function callWithParameters(
  exchange: Exchange,
  operation: Operation,
  extra: Record<string, unknown>,
): Promise<Response> {
  const { hearth, request, origin } = exchange
  exchange.operation = operation.name
  const input = { ...inputOf(operation, await readParameters(exchange)), ...extra }
  const output = await call<unknown, unknown>(hearth, operation, anonymous, input, {
    signal: request.signal,
    origin,
  })
  const headers = jsonHeaders(exchange)
  headers.set('cache-control', 'no-store')
  headers.set('pragma', 'no-cache')
  if (output === null) headers.delete('content-type')
  return new Response(output === null ? null : JSON.stringify(output), {
    status: operation.status,
    headers,
  })
}

/** The routes that call operations, for each of the two issuers. */
function operationRoutes(
  { settings }: Hearth,
  { register, token, revoke }: OAuthOperations,
): HttpRoute[] {
  const clientOf = ({ request }: Exchange): Record<string, unknown> => {
    const client_id = parseBasicClientId(request.headers.get('authorization'))
    return client_id === null ? {} : { client_id }
  }
  const issuers = [
    ['', settings.site_url],
    ['/api', settings.base_url],
  ] as const
  return issuers.flatMap(([prefix, issuer]) => [
    {
      path: `${prefix}/oauth/register`,
      handler: withMethod('POST', (exchange) => callWithParameters(exchange, register, { issuer })),
    },
    {
      path: `${prefix}/oauth/token`,
      handler: withMethod('POST', (exchange) =>
        callWithParameters(exchange, token, clientOf(exchange)),
      ),
    },
    {
      path: `${prefix}/oauth/revoke`,
      handler: withMethod('POST', (exchange) => callWithParameters(exchange, revoke, {})),
    },
  ])
}

/** The metadata of both issuers, and the way from the API's issuer to the consent page. */
function metadataRoutes(hearth: Hearth): HttpRoute[] {
  const { site_url, base_url } = hearth.settings
  const metadataOf = (issuer: string): RequestHandler =>
    withMethod('GET', () => {
      const response = jsonResponse(metadata(hearth, issuer))
      response.headers.set('cache-control', 'public, max-age=3600')
      return response
    })
  // There is one consent page; the issuer that the client used is passed on to it.
  const redirectToConsent = withMethod('GET', ({ query }) => {
    const parameters = `${query === '' ? '' : `${query}&`}issuer=${encodeURIComponent(base_url)}`
    return new Response(null, {
      status: 302,
      headers: {
        location: `${site_url}/oauth/authorize?${parameters}`,
        'cache-control': 'no-store',
      },
    })
  })
  const inserted = `/.well-known/oauth-authorization-server${new URL(base_url).pathname}`
  return [
    { path: '/.well-known/oauth-authorization-server', handler: metadataOf(site_url) },
    { path: inserted, handler: metadataOf(base_url) },
    { path: '/api/.well-known/oauth-authorization-server', handler: metadataOf(base_url) },
    { path: '/api/oauth/authorize', handler: redirectToConsent },
  ]
}

/** None for a forge without the OAuth operations. */
export function oauthRoutes(hearth: Hearth): HttpRoute[] {
  const operations = findOperations(hearth)
  if (operations === null) return []
  return [...metadataRoutes(hearth), ...operationRoutes(hearth, operations)].map((route) => ({
    ...route,
    renderRefusal: renderOAuthRefusal,
  }))
}
