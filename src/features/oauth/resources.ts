/**
 * What access may be asked for (RFC 8707): the tool server in any of its addresses, the REST API,
 * or the site as a whole.
 *
 * A token for the REST API is refused by the tool server, which must only take tokens that were
 * made for it. The REST API and git take those of the tool server too: tools reach all that REST
 * does, and they hand out a git remote to push to with the same token.
 */
import type { Settings } from '#core/settings.ts'
import { oauthError } from './errors.ts'

const isBelow = (base: string, address: string): boolean =>
  address === base || address.startsWith(`${base}/`) || address.startsWith(`${base}?`)

/** The interface that an address belongs to; null for the site as a whole. */
export const audienceOf = (settings: Settings, resource: string | null): 'mcp' | 'api' | null =>
  resource === null || resource === settings.site_url
    ? null
    : isBelow(settings.mcp_url, resource)
      ? 'mcp'
      : 'api'

/** Gives `invalid_target` for an address that is not one of ours. */
export function readResource(settings: Settings, text: string | undefined): string | null {
  if (text === undefined || text === '') return null
  const bare = text.replace(/\/+$/, '')
  const isOurs =
    bare === settings.site_url ||
    isBelow(settings.base_url, bare) ||
    isBelow(settings.mcp_url, bare)
  if (text.includes('#') || !URL.canParse(text) || /\/\.{1,2}(?:\/|$)/.test(text) || !isOurs) {
    throw oauthError('invalid_target', `${text.slice(0, 200)} is not served here`)
  }
  return bare
}
