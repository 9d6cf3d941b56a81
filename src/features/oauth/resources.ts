/** What access may be asked for (RFC 8707): the tool server in any of its addresses, the REST API, or the site as a whole. */
import type { Settings } from '#core/settings.ts'
import { oauthError } from './errors.ts'

/** Gives `invalid_target` for an address that is not one of ours. */
export function readResource(settings: Settings, text: string | undefined): string | null {
  if (text === undefined || text === '') return null
  const bare = text.replace(/\/+$/, '')
  const ours = [settings.site_url, settings.base_url, settings.mcp_url]
  const below = (base: string): boolean => bare === base || ((base !== settings.site_url) && (bare.startsWith(`${base}/`) || bare.startsWith(`${base}?`)))
  if (text.includes('#') || !URL.canParse(text) || /\/\.{1,2}(?:\/|$)/.test(text) || !ours.some(below)) {
    throw oauthError('invalid_target', `${text.slice(0, 200)} is not served here`)
  }
  return bare
}
