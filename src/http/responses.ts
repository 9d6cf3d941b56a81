/** Responses that several handlers create: JSON with the headers of an interface, and errors. */
import type { Settings } from '#core/settings.ts'
import { Refusal } from '#lib/errors.ts'
import type { Exchange, RenderRefusal } from './exchange.ts'

export const EXPOSED_HEADERS =
  'retry-after, ratelimit, ratelimit-policy, link, x-total-count, etag, x-request-id, x-untrusted, idempotent-replay, location, www-authenticate'

/** Cloned for every response, which costs less than creating headers from an object. */
const JSON_HEADERS = new Headers({
  'content-type': 'application/json',
  'x-content-type-options': 'nosniff',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED_HEADERS,
  'cache-control': 'private, no-cache',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  vary: 'authorization, accept-encoding',
})

/** The headers of a JSON response, with the request id if the exchange is given. */
export function jsonHeaders(exchange?: Exchange): Headers {
  const headers = new Headers(JSON_HEADERS)
  if (exchange) {
    headers.set('x-request-id', exchange.id)
    exchange.hasRequestId = true
  }
  return headers
}

export const jsonResponse = (value: unknown, status = 200): Response =>
  new Response(JSON.stringify(value), { status, headers: jsonHeaders() })

/** The metadata that tells a client how to sign in (RFC 9728 section 3). */
export const resourceMetadataUrl = (settings: Settings, resource: 'api' | 'mcp'): string =>
  `${settings.site_url}/.well-known/oauth-protected-resource/${resource}`

const quote = (text: string): string => `"${text.replace(/[^\x20-\x7e]|["\\]/g, '')}"`

/** The challenge of a 401 or of a missing scope (RFC 6750 section 3), null for other refusals. */
export function challengeFor(
  refusal: Refusal,
  metadata: string,
  scope: string | null = null,
): string | null {
  const parameters = ['realm="hearth"']
  if (refusal.code === 'unauthenticated') {
    if (refusal.reason === 'invalid_token') parameters.push('error="invalid_token"')
    if (scope !== null) parameters.push(`scope=${quote(scope)}`)
  } else if (refusal.code === 'forbidden' && refusal.reason === 'scope') {
    parameters.push(
      'error="insufficient_scope"',
      `scope=${quote(String(refusal.details.scope ?? ''))}`,
    )
  } else return null
  return `Bearer ${parameters.join(', ')}, resource_metadata=${quote(metadata)}`
}

/** A refusal as the JSON of every interface, with its headers. */
export const renderJsonRefusal: RenderRefusal = (exchange, refusal) => {
  const headers = jsonHeaders(exchange)
  headers.set('cache-control', 'no-store')
  const challenge = challengeFor(refusal, resourceMetadataUrl(exchange.hearth.settings, 'api'))
  if (challenge !== null) headers.set('www-authenticate', challenge)
  for (const [name, value] of Object.entries(refusal.headers)) headers.set(name, value)
  return new Response(JSON.stringify(refusal.body(exchange.id)), {
    status: refusal.status,
    headers,
  })
}

/**
 * A body for responses to HEAD whose length is known only by producing them: the runtime sends
 * `transfer-encoding: chunked`, no `content-length` and no body. An empty stream would be sent as
 * `content-length: 0`, so this one has a byte.
 */
export const streamOfUnknownLength = (): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start: (controller) => {
      controller.enqueue(new Uint8Array(1))
      controller.close()
    },
  })

export const methodNotAllowed = (method: string, allow: string): Refusal =>
  new Refusal('method_not_allowed', `${method} is not possible here; ${allow} are`, {
    headers: { allow },
  })

/** The `Allow` header for the methods of an address. */
export const allowHeader = (methods: readonly string[]): string => {
  const all = new Set([...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'])
  return [...all].sort().join(', ')
}

/**
 * The response to a preflight. Browsers may call from any site with a token, but never with a
 * cookie (Fetch standard, section 3.3).
 */
export const preflightResponse = (allow: string): Response =>
  new Response(null, {
    status: 204,
    headers: {
      allow,
      'access-control-allow-origin': '*',
      'access-control-allow-methods': allow,
      'access-control-allow-headers':
        'authorization, content-type, idempotency-key, if-none-match, last-event-id, mcp-protocol-version, x-request-id',
      'access-control-expose-headers': EXPOSED_HEADERS,
      'access-control-max-age': '7200',
    },
  })
