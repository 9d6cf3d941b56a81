/** Responses that several doors make: JSON with the headers of an interface, and errors. */
import type { Settings } from '#core/settings.ts'
import type { Refusal } from '#lib/errors.ts'
import type { Exchange, Refuse } from './exchange.ts'

export const EXPOSED_HEADERS =
  'retry-after, ratelimit, ratelimit-policy, link, x-total-count, etag, x-request-id, x-untrusted, idempotent-replay, location, www-authenticate'

/** Shared and cloned for every answer, which costs less than making headers from an object. */
const JSON_HEADERS = new Headers({
  'content-type': 'application/json',
  'x-content-type-options': 'nosniff',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED_HEADERS,
  'cache-control': 'private, no-cache',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  vary: 'authorization',
})

/**
 * Headers of a JSON answer, with the id of its request already among them when the exchange is
 * given.
 */
export function jsonHeaders(exchange?: Exchange): Headers {
  const headers = new Headers(JSON_HEADERS)
  if (exchange) {
    headers.set('x-request-id', exchange.id)
    exchange.carriesId = true
  }
  return headers
}

export const json = (value: unknown, status = 200): Response =>
  new Response(JSON.stringify(value), { status, headers: jsonHeaders() })

/**
 * Where a client learns how to sign in, for the REST API or the tool server (RFC 9728 section 3).
 */
export const resourceMetadataUrl = (settings: Settings, resource: 'api' | 'mcp'): string =>
  `${settings.site_url}/.well-known/oauth-protected-resource/${resource}`

const quoted = (text: string): string => `"${text.replace(/[^\x20-\x7e]|["\\]/g, '')}"`

/** The challenge of a 401 or of a missing scope (RFC 6750 section 3), null for other refusals. */
export function challengeFor(
  refusal: Refusal,
  metadata: string,
  scope: string | null = null,
): string | null {
  const parameters = ['realm="hearth"']
  if (refusal.code === 'unauthenticated') {
    if (refusal.reason === 'invalid_token') parameters.push('error="invalid_token"')
    if (scope !== null) parameters.push(`scope=${quoted(scope)}`)
  } else if (refusal.code === 'forbidden' && refusal.reason === 'scope') {
    parameters.push(
      'error="insufficient_scope"',
      `scope=${quoted(String(refusal.details['scope'] ?? ''))}`,
    )
  } else return null
  return `Bearer ${parameters.join(', ')}, resource_metadata=${quoted(metadata)}`
}

/** A refusal as the JSON of every interface, with the headers that belong to it. */
export const refuseAsJson: Refuse = (exchange: Exchange, refusal: Refusal): Response => {
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
