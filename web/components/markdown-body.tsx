import { raw } from '../jsx/html.ts'
import { renderMarkdown, type MarkdownOptions } from '../markdown.ts'

/** Markdown that somebody wrote, cleaned and set. `empty` is said when there is nothing. */
export const MarkdownBody = ({
  text,
  options,
  empty,
}: {
  text: string
  options?: MarkdownOptions
  empty?: string
}) =>
  text.trim() === '' ? (
    <p class="muted">{empty ?? 'Nothing written.'}</p>
  ) : (
    <div class="md">{raw(renderMarkdown(text, options))}</div>
  )
