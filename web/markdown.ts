// Markdown to safe HTML, in three steps: the parser accepts everything, clean.ts keeps what an
// allow list names, and decorate.ts adds highlighting and links to the clean result.
import { cleanHtml } from './markdown/clean.ts'
import { decorate, type DocumentParts } from './markdown/decorate.ts'
import { Footnotes } from './markdown/footnotes.ts'
import { frontMatterTable } from './markdown/front-matter.ts'
import { prepareSource } from './markdown/source.ts'
import { t } from './text.ts'
import { findTasks } from '#lib/markdown-tasks.ts'
import type { DocumentBase } from './markdown/addresses.ts'
import type { ImagePolicy } from './markdown/images.ts'
import type { LinkContext } from './markdown/references.ts'

export type { DocumentBase, LinkContext }

export interface MarkdownOptions {
  /** Links mentions, numbers and commit ids; without it they stay text. */
  link?: LinkContext
  /** Where relative addresses start, for a file of a repository. */
  base?: DocumentBase
  /** Keeps line ends as they were typed, as people expect in a comment. */
  breaks?: boolean
  /** Lets checkboxes of tasks be ticked, as fields of the form around the document. */
  tasks?: boolean
  /** What becomes of images from other sites; they are loaded directly unless given. */
  images?: ImagePolicy
  /**
   * Whether an agent wrote it. Strangers may have told the agent what to write, so nothing is loaded
   * from other sites, and no link leads there: both would tell them what the agent knows.
   */
  isByAgent?: boolean
}

/** Larger documents are shown as they were typed. */
const MAX_BYTES = 1024 * 1024

/** The text as it was typed, for a document that is too large or takes too long to render. */
export const plainMarkdown = (text: string): string =>
  `<pre tabindex="0" role="group" aria-label="${Bun.escapeHTML(t('Text'))}">${Bun.escapeHTML(text)}</pre>`

export type MathRenderer = (tex: string, display: boolean) => string | null

const noMath: MathRenderer = () => null

/**
 * Renders Markdown (CommonMark with tables, task lists, strikethrough, links from bare addresses,
 * alerts, footnotes, emoji codes, formulas). Never throws for any text. Pages call it through
 * `markdown/page-markdown.ts`, because it takes up to 0.5 s for a megabyte. Formulas need a
 * renderer, which only the thread has.
 */
export const renderMarkdown = (
  text: string,
  options: MarkdownOptions = {},
  renderMath: MathRenderer = noMath,
): string => {
  if (text.length > MAX_BYTES) return plainMarkdown(text)
  const whole = text.toWellFormed()
  const { table, body } = options.base ? frontMatterTable(whole) : { table: '', body: whole }
  const source = prepareSource(body)
  const footnotes = new Footnotes(source.footnotes)
  const clean = (markdown: string, before = ''): string =>
    cleanHtml(
      before + Bun.markdown.html(markdown, { autolinks: true }),
      options.link?.siteUrl ?? '',
      options.base,
    )
  const html = clean(source.text, table)
  const parts: DocumentParts = {
    context: options.link,
    breaks: options.breaks ?? false,
    images: options.images ?? null,
    footnotes,
    formulas: source.formulas,
    renderMath,
    tasks: options.tasks === true && countBoxes(html) === findTasks(text).length,
  }
  const notes = { ...parts, tasks: false }
  return decorate(html, parts) + footnotes.list((note) => decorate(clean(note), notes))
}

const countBoxes = (html: string): number => html.match(/<input /g)?.length ?? 0
