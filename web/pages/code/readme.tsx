// Documents of a repository as HTML, kept: a README is asked for with every visit of its repository
// and seldom changes.
import { createCache } from '#lib/cache.ts'
import { renderMarkdown } from '../../markdown.ts'
import { raw } from '../../jsx/html.ts'

const cache = createCache<string>({
  maxSize: 16 * 1024 * 1024,
  sizeOf: (html) => html.length * 2 + 64,
})

export type Document = {
  readonly oid: string
  readonly text: string
  readonly siteUrl: string
  readonly repo: string
  readonly ref: string
  readonly dir: string
}

/** A Markdown file. Its links depend on where it is, so that is part of the key. */
export const DocumentBody = ({ oid, text, siteUrl, repo, ref, dir }: Document) => {
  const key = [oid, siteUrl, repo, ref, dir].join('\n')
  let html = cache.get(key)
  if (html === undefined)
    cache.set(
      key,
      (html = renderMarkdown(text, { link: { siteUrl, repo }, base: { repo, ref, dir } })),
    )
  return <div class="md">{raw(html)}</div>
}
