/**
 * The resources of access tokens (RFC 8707): the tool server at any of its URLs, the REST API, or
 * the whole site.
 *
 * The tool server refuses tokens for the REST API, because it must only accept tokens issued for
 * it. The REST API and git also accept tokens for the tool server: tools reach everything that REST
 * does, and they return git remotes that accept the same token.
 */
import type { Settings } from '#core/settings.ts'
import { oauthError } from './errors.ts'

const isBelow = (base: string, address: string): boolean =>
  address === base || address.startsWith(`${base}/`) || address.startsWith(`${base}?`)

/** The interface of a resource. Null for the whole site. */
export const audienceOf = (settings: Settings, resource: string | null): 'mcp' | 'api' | null =>
  resource === null || resource === settings.site_url
    ? null
    : isBelow(settings.mcp_url, resource)
      ? 'mcp'
      : 'api'

/** The normalised resource. Throws `invalid_target` for a URL of another server. */
export function readResource(settings: Settings, text: string | undefined): string | null {
  if (text === undefined || text === '') return null
  let end = text.length
  while (text[end - 1] === '/') end--
  const bare = text.slice(0, end)
  const isOurs =
    bare === settings.site_url ||
    isBelow(settings.base_url, bare) ||
    isBelow(settings.mcp_url, bare)
  if (text.includes('#') || !URL.canParse(text) || /\/\.{1,2}(?:\/|$)/.test(text) || !isOurs) {
    throw oauthError('invalid_target', `${text.slice(0, 200)} is not served here`)
  }
  return bare
}
