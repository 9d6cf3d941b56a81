/** Redirects of everything below the name of a workspace that another forge serves now. */
import { departedWorkspaces } from '#core/departures.ts'
import type { Exchange } from './exchange.ts'

/**
 * What stands before the name of a workspace: the website and git, REST, images and the other
 * registries of packages.
 */
const NAMED = /^(\/(?:api\/(?:v1\/)?(?:repos|workspaces)\/|v2\/|packages\/)?)([^/]+)(\/.*)?$/

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/**
 * The answer for an address of a departed workspace; null for all others. 308 keeps the method and
 * the body (RFC 9110 section 15.4.9); git and browsers know 301 since longer. Clients send no
 * credentials along to another host.
 */
export function departedResponse({ hearth, path, query, method }: Exchange): Response | null {
  const departed = departedWorkspaces(hearth)
  if (departed.size === 0) return null
  const [, prefix = '', name = '', rest = ''] = NAMED.exec(path) ?? []
  const address = departed.get(decoded(name).toLowerCase())
  if (address === undefined) return null
  const { origin, pathname } = new URL(address)
  const location = `${origin}${prefix}${pathname.slice(1)}${rest}${query === '' ? '' : `?${query}`}`
  return new Response(`${decoded(name)} is at ${address} now\n`, {
    status: method === 'GET' && prefix === '/' ? 301 : 308,
    headers: { location, 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  })
}
