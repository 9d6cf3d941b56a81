// The Markdown of wiki pages: links between pages in double brackets.
import { encodePath } from '#lib/percent-encoding.ts'
import type { MarkdownBodyOptions } from '../../components/index.ts'
import type { Visit } from '../../site.ts'

const LINK = /\[\[([^[\]|\n]{1,200})(?:\|([^[\]|\n]{1,200}))?\]\]/g
const FENCE = /^ {0,3}(?:```|~~~)/

/** `[[Page]]`, `[[Page#Part]]` or `[[words|Page]]` as a link from the root of the wiki. */
function linkOf(first: string, second: string | undefined): string {
  const [page = '', part] = (second ?? first).trim().split('#', 2)
  const slug = page.trim().replaceAll(/\s+/g, '-')
  const label = first.trim().replace(/[\\[\]`*_<>&!]/g, (one) => `\\${one}`)
  const target = slug === '' ? '' : `/${encodePath(slug)}`
  return `[${label}](${target}${part === undefined ? '' : `#${encodeURIComponent(part)}`})`
}

/** Turns links in double brackets into Markdown links, outside of code. */
export function withPageLinks(text: string): string {
  if (!text.includes('[[')) return text
  let isFenced = false
  return text
    .split('\n')
    .map((line) => {
      if (FENCE.test(line)) isFenced = !isFenced
      if (isFenced || !line.includes('[[')) return line
      // Between backticks is code.
      return line
        .split('`')
        .map((part, at) =>
          at % 2 === 1
            ? part
            : part.replace(LINK, (_, first: string, second?: string) => linkOf(first, second)),
        )
        .join('`')
    })
    .join('\n')
}

/** The options for a page of the wiki. Its links start at its own folder. */
export const wikiMarkdown = (visit: Visit, repo: string, slug: string): MarkdownBodyOptions => ({
  page: visit.markdown,
  link: { siteUrl: visit.hearth.settings.site_url, repo },
  base: { repo, ref: '', dir: slug.split('/').slice(0, -1).join('/'), wiki: true },
})
