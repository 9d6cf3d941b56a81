// Markdown to safe HTML, in three steps: the parser accepts everything, clean.ts keeps what an
// allow list names, and decorate.ts adds highlighting and links to the clean result.
import { cleanHtml } from './markdown/clean.ts'
import { decorate } from './markdown/decorate.ts'
import type { DocumentBase } from './markdown/addresses.ts'
import type { LinkContext } from './markdown/references.ts'

export type { DocumentBase, LinkContext }

export interface MarkdownOptions {
  /** Links mentions, numbers and commit ids; without it they stay text. */
  link?: LinkContext
  /** Where relative addresses start, for a file of a repository. */
  base?: DocumentBase
  /** Keeps line ends as they were typed, as people expect in a comment. */
  breaks?: boolean
}

/** Larger documents are shown as they were typed. */
const MAX_BYTES = 1024 * 1024

/** The text as it was typed, for a document that is too large or takes too long to render. */
export const plainMarkdown = (text: string): string =>
  `<pre tabindex="0">${Bun.escapeHTML(text)}</pre>`

/**
 * Renders Markdown (CommonMark with tables, task lists, strikethrough, links from bare addresses,
 * alerts). Never throws for any text. Pages call it through `markdown/page-markdown.ts`, because it
 * takes up to 0.5 s for a megabyte.
 */
export const renderMarkdown = (text: string, options: MarkdownOptions = {}): string => {
  if (text.length > MAX_BYTES) return plainMarkdown(text)
  const html = Bun.markdown.html(text.toWellFormed(), { autolinks: true })
  return decorate(
    cleanHtml(html, options.link?.siteUrl ?? '', options.base),
    options.link,
    options.breaks ?? false,
  )
}
