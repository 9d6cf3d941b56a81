/** What the interfaces say of themselves: index, description, health, and where to sign in. */
import type { Hearth } from '#core/hearth.ts'
import { SCOPES } from '#core/scopes.ts'
import { Refusal } from '#lib/errors.ts'
import { json, jsonHeaders } from './answers.ts'
import { etagOf, matches } from './etag.ts'
import type { Door, Exchange } from './exchange.ts'
import { metrics } from './metrics.ts'
import { openApiDocument } from './openapi.ts'
import { readinessOf } from './readiness.ts'
import { allowed, preflight, type Mount } from './rest.ts'

const ALLOW = allowed(['GET'])

/** A door for reading only. */
const reading =
  (read: (exchange: Exchange) => Response | Promise<Response>): Door =>
  async (exchange) => {
    const { method } = exchange.request
    if (method === 'OPTIONS') return preflight(ALLOW)
    if (method !== 'GET' && method !== 'HEAD') {
      throw new Refusal('method_not_allowed', `${method} is not possible here; ${ALLOW} are`, {
        headers: { allow: ALLOW },
      })
    }
    const response = await read(exchange)
    return method === 'HEAD' ? new Response(null, response) : response
  }

/** Text that stays as it is while the process runs. */
function fixed(make: () => unknown): Door {
  let text: string | null = null
  return reading(({ request }) => {
    text ??= JSON.stringify(make())
    const headers = jsonHeaders()
    headers.set('cache-control', 'no-cache')
    const etag = etagOf(text)
    headers.set('etag', etag)
    return matches(request.headers.get('if-none-match'), etag)
      ? new Response(null, { status: 304, headers })
      : new Response(text, { headers })
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

/** Whether requests can be served, and if not, which of its parts does not do what it should. */
async function readiness(look: () => Promise<Readonly<Record<string, string>>>): Promise<Response> {
  const checks = await look()
  const ready = Object.values(checks).every((state) => state === 'ok')
  const response = json({ status: ready ? 'ok' : 'unavailable', checks }, ready ? 200 : 503)
  if (!ready) response.headers.set('retry-after', '5')
  response.headers.set('cache-control', 'no-store')
  return response
}

/**
 * What is worth finding may be read; history without end, forms and interfaces are not for crawlers
 * (RFC 9309).
 */
const ROBOTS = `User-agent: *
Disallow: /api
Disallow: /mcp
Disallow: /oauth/
Disallow: /login
Disallow: /register
Disallow: /search
Disallow: /_archive/
Disallow: /*/blame/
Disallow: /*/commits/
Disallow: /*/commit/
Disallow: /*/compare/
Disallow: /*/raw/
Disallow: /*/archive/
Disallow: /*/search
Disallow: /*?*
`

const METADATA = '/.well-known/oauth-protected-resource'

/** Protected resource metadata (RFC 9728): the document's own address names the resource. */
function resourceMetadata({ settings }: Hearth, path: string): unknown {
  const below = path.slice(METADATA.length).replace(/\/+$/, '')
  const resource =
    below === '/api' || below.startsWith('/api/')
      ? settings.base_url
      : settings.mcp_url + (below.startsWith('/mcp/') ? below.slice(4) : '')
  return {
    resource,
    authorization_servers: [settings.site_url],
    scopes_supported: SCOPES,
    bearer_methods_supported: ['header'],
    resource_name: resource === settings.base_url ? 'Hearth REST API' : 'Hearth tool server',
    resource_documentation: `${settings.site_url}/docs`,
  }
}

export function siteMounts(hearth: Hearth): Mount[] {
  const description = fixed(() => openApiDocument(hearth))
  const live = reading(() => json({ status: 'ok' }))
  const look = readinessOf(hearth)
  const ready = reading(() => readiness(look))
  const numbers = reading((exchange) => metrics(hearth, exchange))
  const described = (path: string): Response => {
    const response = json(resourceMetadata(hearth, path))
    response.headers.set('cache-control', 'public, max-age=3600')
    return response
  }
  const metadata = reading(({ path }) => described(path))
  return [
    {
      path: '/robots.txt',
      door: reading(
        () =>
          new Response(ROBOTS, {
            headers: {
              'content-type': 'text/plain; charset=utf-8',
              'cache-control': 'public, max-age=86400',
            },
          }),
      ),
    },
    { path: '/api', door: fixed(() => index(hearth.settings.base_url)) },
    ...['/api', ''].flatMap((prefix) => [
      { path: `${prefix}/openapi.json`, door: description },
      { path: `${prefix}/livez`, door: live },
      { path: `${prefix}/readyz`, door: ready },
      { path: `${prefix}/metrics`, door: numbers },
    ]),
    // Clients that know the REST API alone look below it, as they do for the authorization server.
    { path: `/api${METADATA}`, door: reading(() => described(`${METADATA}/api`)) },
    ...['', '/mcp', '/mcp/*', '/api', '/api/*'].map((below) => ({
      path: METADATA + below,
      door: metadata,
    })),
  ]
}
