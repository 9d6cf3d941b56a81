// The files every page needs, held in memory under addresses that name their content, so that
// browsers may keep them for ever.
import { browserScript, styleSheet, textFile } from './client.macro.ts' with { type: 'macro' }

export interface Asset {
  /** Where it is served, from the site's root. */
  path: string
  type: string
  body: string
  /** Strong entity tag, quotes included. */
  etag: string
}

const files = {
  'style.css': ['text/css; charset=utf-8', styleSheet('./style.css')],
  'client.js': ['text/javascript; charset=utf-8', browserScript('./client/index.ts')],
  'favicon.svg': ['image/svg+xml', textFile('../assets/favicon.svg')],
  'logo.svg': ['image/svg+xml', textFile('../assets/logo.svg')],
} as const

export type AssetName = keyof typeof files

const make = (name: string, type: string, body: string): Asset => {
  const mark = new Bun.CryptoHasher('sha256').update(body).digest('hex').slice(0, 12)
  const dot = name.lastIndexOf('.')
  return {
    path: `/assets/${name.slice(0, dot)}-${mark}${name.slice(dot)}`,
    type,
    body,
    etag: `"${mark}"`,
  }
}

const byName = new Map<string, Asset>(
  Object.entries(files).map(([name, [type, body]]) => [name, make(name, type, body)]),
)

/**
 * Every file by the address it is served at. Answer with `Cache-Control: public, max-age=31536000,
 * immutable`.
 */
export const assets: ReadonlyMap<string, Asset> = new Map(
  [...byName.values()].map((asset) => [asset.path, asset]),
)

/** The address of one of them, for a page. */
export const assetPath = (name: AssetName): string => byName.get(name)?.path ?? `/assets/${name}`

/**
 * The policy the pages are written for: no inline script or style, nothing from elsewhere but
 * pictures in what people write. `form-action` is left to the door, because consent pages redirect
 * to other places after a POST.
 */
export const contentSecurityPolicy =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' https: data:; font-src 'self'; connect-src 'self'; media-src 'self'; " +
  "manifest-src 'self'; base-uri 'none'; frame-ancestors 'none'"
