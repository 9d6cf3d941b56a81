/**
 * The addresses of the authorization server (OAuth 2.1): metadata, registration, tokens,
 * revocation. They speak OAuth's own error bodies, take forms as well as JSON, and know the
 * operations behind them by name only. The consent page belongs to the website.
 *
 * There are two issuers, because clients look in different places: the site, whose metadata is at
 * the root, and the REST API, whose metadata is below it and, with the path inserted, at the root
 * (RFC 8414 section 3.1).
 */
import { anonymous } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { call, type Operation } from '#core/operation.ts'
import { SCOPES } from '#core/scopes.ts'
import { Refusal } from '#lib/errors.ts'
import { json, jsonHeaders } from './answers.ts'
import { KIB, parseJson, readBody } from './body.ts'
import type { Door, Exchange, Refuse } from './exchange.ts'
import { allowed, type Mount } from './rest.ts'

const LARGEST_BODY = 64 * KIB

/** Authorization server metadata (RFC 8414 section 2). */
function metadata({ settings }: Hearth, issuer: string): Record<string, unknown> {
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
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

/** Browsers of other sites may call: no cookie is looked at. */
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'authorization, content-type, accept, mcp-protocol-version',
  'access-control-max-age': '7200',
}

/** Lets one method through and tells of the others. */
const only = (method: 'GET' | 'POST', door: Door): Door => {
  const allow = allowed([method])
  return (exchange) => {
    const asked = exchange.request.method
    if (asked === 'OPTIONS')
      return new Response(null, {
        status: 204,
        headers: { allow, 'access-control-allow-methods': allow, ...CORS },
      })
    if (asked !== method && !(method === 'GET' && asked === 'HEAD')) {
      throw new Refusal('method_not_allowed', `${asked} is not possible here; ${allow} are`, {
        headers: { allow },
      })
    }
    return door(exchange)
  }
}

const bad = (message: string) => new Refusal('bad_request', message, { reason: 'invalid_request' })

/**
 * The parameters of a request, as text; of JSON whatever its values are. Gives `invalid_request`
 * for a parameter that is sent twice (RFC 6749 section 3.2) and for a body that cannot be read.
 */
async function parametersOf(request: Request): Promise<Record<string, unknown>> {
  const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase()
  const bytes = await readBody(request, LARGEST_BODY)
  if (type === 'application/json') {
    let value: unknown
    try {
      value = parseJson(bytes)
    } catch (error) {
      throw error instanceof Refusal ? bad(error.message) : error
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw bad('the body must be a JSON object')
    return value as Record<string, unknown>
  }
  if (type !== 'application/x-www-form-urlencoded' && bytes.length > 0)
    throw bad('the body must be a form (application/x-www-form-urlencoded) or application/json')
  const values: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  for (const [name, value] of new URLSearchParams(new TextDecoder().decode(bytes))) {
    if (name in values && values[name] !== value) {
      // A client may name several resources (RFC 8707 section 2); a token here is for one, or for
      // the whole site.
      if (name === 'resource')
        throw new Refusal('bad_request', 'name one resource', { reason: 'invalid_target' })
      throw bad(`${name.slice(0, 60)} was sent twice`)
    }
    values[name] = value
  }
  return values
}

/**
 * The client's id when it comes by HTTP Basic (RFC 6749 section 2.3.1): clients are public, so the
 * secret must be empty. Some libraries try this before they send the id in the body.
 */
function basicClient(header: string | null): string | null {
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

/**
 * Only parameters that the operation has, because others are ignored (RFC 6749 section 3.1), empty
 * ones too.
 */
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

const ERRORS: Readonly<Partial<Record<Refusal['code'], number>>> = {
  method_not_allowed: 405,
  too_large: 413,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
}

/**
 * The error body of OAuth (RFC 6749 section 5.2), with status 400 for everything that the client is
 * to blame for.
 */
const refuse: Refuse = (exchange, refusal) => {
  const status = ERRORS[refusal.code] ?? 400
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

type Names = { readonly register: string; readonly token: string; readonly revoke: string }
const OPERATIONS: Names = {
  register: 'register_client',
  token: 'exchange_token',
  revoke: 'revoke_oauth_token',
}

export function oauthMounts(hearth: Hearth): Mount[] {
  const { site_url, base_url } = hearth.settings
  const named = (name: string): Operation | null => hearth.operationsByName.get(name) ?? null
  const [register, token, revoke] = [
    named(OPERATIONS.register),
    named(OPERATIONS.token),
    named(OPERATIONS.revoke),
  ]
  if (!register || !token || !revoke) return []

  const run = async (
    exchange: Exchange,
    operation: Operation,
    extra: Record<string, unknown>,
  ): Promise<Response> => {
    const { request } = exchange
    exchange.operation = operation.name
    const parameters = await parametersOf(request)
    const input = { ...inputOf(operation, parameters), ...extra }
    const output = await call<unknown, unknown>(hearth, operation, anonymous, input, {
      signal: request.signal,
      origin: exchange.origin,
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
  const clientIn = (exchange: Exchange): Record<string, unknown> => {
    const client_id = basicClient(exchange.request.headers.get('authorization'))
    return client_id === null ? {} : { client_id }
  }
  const described = (issuer: string): Door =>
    only('GET', ({ request }) => {
      const response = json(metadata(hearth, issuer))
      response.headers.set('cache-control', 'public, max-age=3600')
      return request.method === 'HEAD' ? new Response(null, response) : response
    })
  /** The consent page is one page; the issuer that the client asked goes with it. */
  const toConsent: Door = only(
    'GET',
    ({ query }) =>
      new Response(null, {
        status: 302,
        headers: {
          location: `${site_url}/oauth/authorize?${query === '' ? '' : `${query}&`}issuer=${encodeURIComponent(base_url)}`,
          'cache-control': 'no-store',
        },
      }),
  )
  const inserted = `/.well-known/oauth-authorization-server${new URL(base_url).pathname}`
  return [
    { path: '/.well-known/oauth-authorization-server', door: described(site_url) },
    { path: inserted, door: described(base_url) },
    { path: '/api/.well-known/oauth-authorization-server', door: described(base_url) },
    { path: '/api/oauth/authorize', door: toConsent },
    ...(
      [
        ['', site_url],
        ['/api', base_url],
      ] as const
    ).flatMap(([prefix, issuer]) => [
      {
        path: `${prefix}/oauth/register`,
        door: only('POST', (exchange) => run(exchange, register, { issuer })),
      },
      {
        path: `${prefix}/oauth/token`,
        door: only('POST', (exchange) => run(exchange, token, clientIn(exchange))),
      },
      {
        path: `${prefix}/oauth/revoke`,
        door: only('POST', (exchange) => run(exchange, revoke, {})),
      },
    ]),
  ].map((mount) => ({ ...mount, refuse }))
}
