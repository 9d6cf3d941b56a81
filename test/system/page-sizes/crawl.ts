/** Visits all pages that link to each other, some of each kind. */
import { heaviestPath, weightOf } from './weigh.ts'
import { unescapeHtml } from '../../../web/markdown/entities.ts'

/** The heaviest page of a kind, what of it weighs, and how many of its kind are too heavy. */
export type HeavyPage = {
  readonly path: string
  readonly bytes: number
  readonly what: string
  readonly tooHeavy: number
}
export type Crawl = {
  readonly visited: number
  /** The heaviest page of each kind, from the heaviest on. */
  readonly pages: readonly HeavyPage[]
  /** Answers that are errors of the server. */
  readonly broken: readonly string[]
}

type CrawlOptions = {
  readonly url: string
  readonly cookie: string
  readonly starts: readonly string[]
  /** Pages above it are too heavy. */
  readonly maxBytes: number
  /** Pages of one kind: those whose addresses differ in names and numbers only. */
  readonly perKind: number
}

/** Segments that say what a page shows; others are names. */
const isName = (segment: string, at: number): boolean =>
  at < 2 || !/^(?:-|_?[a-z][a-z-]{2,24})$/.test(segment) || segment === 'main'

/** The kind of page that an address leads to. */
function kindOf({ pathname, searchParams }: URL): string {
  const segments = pathname.split('/').slice(1)
  // What follows the ref of code is a path; its ending decides how the file is shown.
  const rest = ['blob', 'blame', 'tree', 'edit', 'commits', 'raw'].indexOf(segments[2] ?? '') >= 0
  const shown = rest
    ? [segments[2], /\.[a-z0-9]{1,6}$/i.exec(pathname)?.[0] ?? '']
    : segments.map((segment, at) => (isName(segment, at) ? '*' : segment))
  const isSite = !rest && segments.length < 3 ? pathname : ''
  const keys = [...searchParams].map(([key, value]) =>
    /^(?:type|view|state|tab|kind|by)$/.test(key) ? `${key}=${value}` : key,
  )
  return `${isSite || shown.join('/')}?${[...new Set(keys)].sort().join('&')}`
}

const isPage = ({ pathname, searchParams }: URL): boolean =>
  !/^\/(?:assets|api|avatars|-\/|packages|v2|mcp|oauth)|\/(?:raw|archive|attachments|_files|badge)\/|\.(?:atom|diff|patch|zip|git)$/.test(
    pathname,
  ) &&
  searchParams.get('raw') !== '1' &&
  !searchParams.has('download')

const linksOf = (html: string, page: URL): URL[] =>
  [...html.matchAll(/<a\b[^>]*? href="([^"]*)"/g)].flatMap(([, href = '']) => {
    const url = URL.parse(unescapeHtml(href), page)
    if (url?.origin !== page.origin) return []
    url.hash = ''
    return [url]
  })

export async function crawl(options: CrawlOptions): Promise<Crawl> {
  const { url, cookie, maxBytes, perKind } = options
  const waiting = options.starts.map((path) => new URL(path, url))
  const seen = new Set(waiting.map(({ href }) => href))
  const counts = new Map<string, number>()
  const pages = new Map<string, HeavyPage>()
  const broken: string[] = []
  let visited = 0
  const visit = async (at: URL, kind: string): Promise<void> => {
    const answer = await fetch(at, { headers: { cookie }, redirect: 'follow' })
    const path = at.pathname + at.search
    if (answer.status >= 500) broken.push(`${path} answered ${answer.status}`)
    if (!answer.headers.get('content-type')?.startsWith('text/html')) {
      await answer.body?.cancel()
      return
    }
    const html = await answer.text()
    visited++
    const bytes = weightOf(html)
    const before = pages.get(kind)
    const tooHeavy = (before?.tooHeavy ?? 0) + (bytes > maxBytes ? 1 : 0)
    pages.set(
      kind,
      bytes > (before?.bytes ?? 0)
        ? { path, bytes, tooHeavy, what: bytes > maxBytes * 0.8 ? heaviestPath(html) : '' }
        : { path, bytes, what: '', ...before, tooHeavy },
    )
    for (const link of linksOf(html, at)) {
      if (seen.has(link.href) || !isPage(link)) continue
      seen.add(link.href)
      waiting.push(link)
    }
  }
  const starts = new Set(waiting)
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const kind = kindOf(next)
    const count = counts.get(kind) ?? 0
    if (count >= perKind && !starts.has(next)) continue
    counts.set(kind, count + 1)
    await visit(next, kind)
  }
  return { visited, pages: [...pages.values()].sort((a, b) => b.bytes - a.bytes), broken }
}
