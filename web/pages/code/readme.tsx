// Documents of a repository as HTML. They are cached, because a README is part of every visit of its
// repository and seldom changes.
import type { Hearth } from '#core/hearth.ts'
import { cache } from '#core/service.ts'
import { renderMarkdown } from '../../markdown.ts'
import { raw } from '../../jsx/html.ts'

const renderedDocuments = cache<string>('rendered-documents', {
  maxSize: 16 * 1024 * 1024,
  sizeOf: (html) => html.length * 2 + 64,
})

export type Document = {
  readonly hearth: Hearth
  readonly oid: string
  readonly text: string
  readonly repo: string
  readonly ref: string
  readonly dir: string
}

/** A Markdown file. Its links depend on where it is, so that is part of the key. */
export const DocumentBody = ({ hearth, oid, text, repo, ref, dir }: Document) => {
  const siteUrl = hearth.settings.site_url
  const documents = renderedDocuments(hearth)
  const key = [oid, siteUrl, repo, ref, dir].join('\n')
  let html = documents.get(key)
  if (html === undefined)
    documents.set(
      key,
      (html = renderMarkdown(text, { link: { siteUrl, repo }, base: { repo, ref, dir } })),
    )
  return <div class="md">{raw(html)}</div>
}
