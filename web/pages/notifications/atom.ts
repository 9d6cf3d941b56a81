// Atom feeds (RFC 4287).
import { sha256 } from '#lib/hash.ts'

export type AtomEntry = {
  /** Permanent and unique (RFC 4287 section 4.2.6). */
  readonly id: string
  readonly title: string
  readonly url: string
  readonly author: string
  readonly published: string
  readonly updated: string
  /** HTML of the Markdown renderer. */
  readonly html?: string
  readonly summary?: string
}

export type AtomFeed = {
  readonly id: string
  readonly title: string
  /** The page with the same content, and the feed itself without its token. */
  readonly url: string
  readonly self: string
  /** Used when there are no entries. */
  readonly updated: string
  readonly entries: readonly AtomEntry[]
}

/** Removes characters that XML 1.0 cannot represent, even as references (section 2.2). */
const xml = (text: string): string =>
  Bun.escapeHTML(
    text.toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, ''),
  )

/** A tag URI (RFC 4151): the host, a date on which it was its owner's, and a name. */
export const tagUri = (site_url: string, date: string, name: string): string =>
  `tag:${new URL(site_url).hostname},${date.slice(0, 10)}:${name}`

const element = (name: string, text: string, attributes = ''): string =>
  `<${name}${attributes}>${xml(text)}</${name}>`
const link = (rel: string, type: string, href: string): string =>
  `<link rel="${rel}" type="${type}" href="${xml(href)}"/>`

const entryXml = ({
  id,
  title,
  url,
  author,
  published,
  updated,
  html,
  summary,
}: AtomEntry): string => `  <entry>
    ${element('id', id)}
    ${element('title', title)}
    ${link('alternate', 'text/html', url)}
    ${element('published', published)}
    ${element('updated', updated)}
    <author>${element('name', author)}</author>${html === undefined ? '' : `\n    ${element('content', html, ' type="html"')}`}${summary === undefined ? '' : `\n    ${element('summary', summary)}`}
  </entry>`

/** The latest of some ISO timestamps, which sort as text. */
const newest = (times: readonly string[]): string => [...times].sort().at(-1) ?? ''

export const atomXml = ({
  id,
  title,
  url,
  self,
  updated,
  entries,
}: AtomFeed): string => `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  ${element('id', id)}
  ${element('title', title)}
  ${link('alternate', 'text/html', url)}
  ${link('self', 'application/atom+xml', self)}
  ${element('updated', newest([updated, ...entries.map((entry) => entry.updated)]))}
${entries.map(entryXml).join('\n')}
</feed>
`

/** The response, or 304. Feeds may be private, so shared caches must not store them. */
export function feedResponse(request: Request, feed: AtomFeed): Response {
  const body = atomXml(feed)
  const etag = `W/"${sha256(body).slice(0, 32)}"`
  const headers = {
    'content-type': 'application/atom+xml; charset=utf-8',
    etag,
    'cache-control': 'private, no-cache',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  }
  const known = (request.headers.get('if-none-match') ?? '')
    .split(',')
    .map((one) => one.trim().replace(/^W\//, ''))
  if (known.includes(etag.slice(2)) || known.includes('*'))
    return new Response(null, { status: 304, headers })
  return new Response(request.method === 'HEAD' ? null : body, { headers })
}
