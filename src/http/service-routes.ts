/** Routes about the service itself: index, OpenAPI document, health, metrics, sign-in metadata. */
import { eventLoopProbe } from '#core/event-loop.ts'
import { lazy } from '#lib/lazy.ts'
import type { Hearth } from '#core/hearth.ts'
import { SCOPES } from '#core/scopes.ts'
import { CompressedText } from './compression.ts'
import { etagOf, matches } from './etag.ts'
import type { Exchange, HttpRoute, RequestHandler } from './exchange.ts'
import { metricsResponse } from './metrics.ts'
import { trimTrailingSlashes } from '#lib/trim-slashes.ts'
import { CHANGES_REFUSED, type CheckReadiness, createReadinessCheck } from './readiness.ts'
import {
  allowHeader,
  jsonHeaders,
  jsonResponse,
  methodNotAllowed,
  preflightResponse,
} from './responses.ts'
import { openApiDocument } from './rest/openapi.ts'
import { SECURITY_TXT_PATH, securityTxt } from './security-txt.ts'
import { connectionScopes } from './tools/connection-scopes.ts'

const ALLOW = allowHeader(['GET'])

/** A handler for GET and HEAD alone. */
const readOnly =
  (read: (exchange: Exchange) => Response | Promise<Response>): RequestHandler =>
  (exchange) => {
    const { method } = exchange.request
    if (method === 'OPTIONS') return preflightResponse(ALLOW)
    if (exchange.method !== 'GET') throw methodNotAllowed(method, ALLOW)
    return read(exchange)
  }

/**
 * Serves a document that does not change while the process runs. It is created with the first
 * request, once for all that ask meanwhile.
 */
function staticDocument(create: () => unknown): RequestHandler {
  const text = lazy(async () => new CompressedText(JSON.stringify(await create()), true))
  return readOnly(async ({ request }) => {
    const body = await text()
    const headers = jsonHeaders()
    headers.set('cache-control', 'no-cache')
    const etag = etagOf(body.text)
    headers.set('etag', etag)
    return matches(request.headers.get('if-none-match'), etag)
      ? new Response(null, { status: 304, headers })
      : body.response(request, { headers })
  })
}

/** Templates (RFC 6570) of the addresses that a client begins with. */
const index = (base: string) => ({
  documentation_url: `${base}/openapi.json`,
  current_user_url: `${base}/v1/user`,
  repository_url: `${base}/v1/repos/{owner}/{name}`,
  issues_url: `${base}/v1/repos/{owner}/{name}/issues{?state,label}`,
  pulls_url: `${base}/v1/repos/{owner}/{name}/pulls{?state}`,
})

/**
 * 200 if every part is ready; else 503, with what is wrong with each. A machine that can be read
 * while it refuses changes is ready, unless the query `changes` asks for one that takes them. A long
 * turn of the event loop is shown and fails nothing: a restart would not help.
 */
async function readinessResponse(
  hearth: Hearth,
  checkReadiness: CheckReadiness,
  query: string,
): Promise<Response> {
  const checks = await checkReadiness()
  const needsChanges = new URLSearchParams(query).has('changes')
  const isReady = Object.values(checks).every(
    (state) => state === 'ok' || (state === CHANGES_REFUSED && !needsChanges),
  )
  const body = {
    status: isReady ? 'ok' : 'unavailable',
    checks,
    longest_turn_ms: Math.round(eventLoopProbe(hearth).longestOfMinute().ms),
  }
  const response = jsonResponse(body, isReady ? 200 : 503)
  if (!isReady) response.headers.set('retry-after', '5')
  response.headers.set('cache-control', 'no-store')
  return response
}

/** Keeps crawlers (RFC 9309) from interfaces, forms, and the endless pages of history. */
const ROBOTS_TXT = `User-agent: *
Disallow: /api
Disallow: /mcp
Disallow: /oauth/
Disallow: /login
Disallow: /register
Disallow: /search
Disallow: /_archive/
Disallow: /_artifact/
Disallow: /_results/
Disallow: /*/blame/
Disallow: /*/commits/
Disallow: /*/commit/
Disallow: /*/compare/
Disallow: /*/raw/
Disallow: /*/archive/
Disallow: /*/search
Disallow: /*?*
`

const METADATA_PATH = '/.well-known/oauth-protected-resource'

/** Protected resource metadata (RFC 9728). The address of the document names the resource. */
function resourceMetadata(hearth: Hearth, path: string, query: string): unknown {
  const { settings } = hearth
  const below = trimTrailingSlashes(path.slice(METADATA_PATH.length))
  const isApi = below === '/api' || below.startsWith('/api/')
  const toolPath = below.startsWith('/mcp/') ? below : '/mcp'
  const { readonly, scopes } = connectionScopes(hearth, toolPath, query)
  const toolQuery = readonly && query !== '' ? `?${query}` : ''
  const resource = isApi
    ? settings.base_url
    : `${settings.mcp_url}${toolPath.slice('/mcp'.length)}${toolQuery}`
  return {
    resource,
    authorization_servers: [settings.site_url],
    scopes_supported: readonly && !isApi ? scopes : SCOPES,
    bearer_methods_supported: ['header'],
    resource_name: resource === settings.base_url ? 'Hearth REST API' : 'Hearth tool server',
    resource_documentation: `${settings.site_url}/docs`,
  }
}

const robotsTxt = readOnly(
  () =>
    new Response(ROBOTS_TXT, {
      headers: {
        'content-type': 'text/plain; charset=utf-8',
        'cache-control': 'public, max-age=86400',
      },
    }),
)

/** None without a contact: RFC 9116 has no file without one. */
const securityTxtRoutes = (hearth: Hearth): HttpRoute[] =>
  hearth.settings.security.contact.length === 0
    ? []
    : [
        {
          path: SECURITY_TXT_PATH,
          handler: readOnly(
            () =>
              new Response(securityTxt(hearth), {
                headers: {
                  'content-type': 'text/plain; charset=utf-8',
                  'cache-control': 'public, max-age=3600',
                },
              }),
          ),
        },
      ]

/** The metadata documents, which clients look for at several addresses. */
function metadataRoutes(hearth: Hearth): HttpRoute[] {
  const metadataResponse = (path: string, query: string): Response => {
    const response = jsonResponse(resourceMetadata(hearth, path, query))
    response.headers.set('cache-control', 'public, max-age=3600')
    return response
  }
  const handler = readOnly(({ path, query }) => metadataResponse(path, query))
  return [
    // Clients that know the REST API alone look below it.
    {
      path: `/api${METADATA_PATH}`,
      handler: readOnly(() => metadataResponse(`${METADATA_PATH}/api`, '')),
    },
    ...['', '/mcp', '/mcp/*', '/api', '/api/*'].map((below) => ({
      path: METADATA_PATH + below,
      handler,
    })),
  ]
}

export function serviceRoutes(hearth: Hearth): HttpRoute[] {
  const openApi = staticDocument(() => openApiDocument(hearth))
  const liveness = readOnly(() => jsonResponse({ status: 'ok' }))
  const checkReadiness = createReadinessCheck(hearth)
  const readiness = readOnly(({ query }) => readinessResponse(hearth, checkReadiness, query))
  const metrics = readOnly((exchange) => metricsResponse(hearth, exchange))
  return [
    { path: '/robots.txt', handler: robotsTxt },
    ...securityTxtRoutes(hearth),
    { path: '/api', handler: staticDocument(() => index(hearth.settings.base_url)) },
    ...['/api', ''].flatMap((prefix) => [
      { path: `${prefix}/openapi.json`, handler: openApi },
      { path: `${prefix}/livez`, handler: liveness },
      { path: `${prefix}/readyz`, handler: readiness },
      { path: `${prefix}/metrics`, handler: metrics },
    ]),
    ...metadataRoutes(hearth),
  ]
}
