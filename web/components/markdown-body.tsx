import { raw } from '../jsx/html.ts'
import type { MarkdownOptions } from '../markdown.ts'
import type { PageMarkdown } from '../markdown/page-markdown.ts'

/** Options with the page that renders the document (`markdown/page-markdown.ts`). */
export type MarkdownBodyOptions = MarkdownOptions & {
  readonly page: Pick<PageMarkdown, 'place' | 'placeSource'>
}

/** Markdown that a user wrote, as HTML. `empty` is shown when there is none. */
export const MarkdownBody = ({
  text,
  options: { page, ...options },
  empty,
}: {
  text: string
  options: MarkdownBodyOptions
  empty?: string
}) =>
  text.trim() === '' ? (
    <p class="muted">{empty ?? 'Nothing written.'}</p>
  ) : (
    <div class="md">{raw(page.place(text, options))}</div>
  )
