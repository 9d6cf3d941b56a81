// Images from other sites in a document, by the setting `images.external`: through this site, or a
// link in their place.
import { imageProxyPath } from '#lib/image-address.ts'

/** Null stands for direct: browsers load the image from the other site, without a referrer. */
export type ImagePolicy = {
  readonly mode: 'proxy' | 'off'
  readonly siteUrl: string
  /** Signs addresses of the proxy. */
  readonly key: string
  /** For texts by agents: addresses of other sites are shown as text, so that nothing is sent there. */
  readonly links?: 'text'
} | null

const ATTRIBUTES = { img: / src="([^"]*)"/, source: / srcset="([^"]*)"/ } as const

const unescapeAttribute = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

const isExternal = (address: string, siteUrl: string): boolean =>
  /^https?:/i.test(address) && address !== siteUrl && !address.startsWith(`${siteUrl}/`)

/** A tag of an image as the policy wants it. `whole` is the cleaned tag. */
export function applyImagePolicy(
  whole: string,
  name: 'img' | 'source',
  policy: NonNullable<ImagePolicy>,
  insideLink: boolean,
): string {
  const address = unescapeAttribute(ATTRIBUTES[name].exec(whole)?.[1] ?? '')
  if (!isExternal(address, policy.siteUrl)) return whole
  const path = policy.mode === 'proxy' ? imageProxyPath(policy.key, address) : null
  if (path !== null)
    return whole.replace(ATTRIBUTES[name], (attribute) =>
      attribute.replace(/"[^"]*"/, `"${policy.siteUrl}${path}"`),
    )
  if (name === 'source') return ''
  const alt = / alt="([^"]*)"/.exec(whole)?.[1]?.trim() ?? ''
  if (policy.links === 'text')
    return Bun.escapeHTML(alt === '' ? address : `${unescapeAttribute(alt)} (${address})`)
  if (insideLink) return alt === '' ? 'Image' : alt
  return `<a href="${Bun.escapeHTML(address)}" rel="nofollow ugc">${alt === '' ? Bun.escapeHTML(address) : alt}</a>`
}

/** Whether a link leaves this site: with any scheme, or with a host. */
export const leavesSite = (href: string, siteUrl: string): boolean =>
  /^(?:[a-z][a-z0-9+.-]*:|[\\/]{2})/i.test(href.trim()) &&
  href !== siteUrl &&
  !href.startsWith(`${siteUrl}/`)
