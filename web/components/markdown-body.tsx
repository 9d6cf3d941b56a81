import { sha256 } from '#lib/hash.ts'
import { findTasks } from '#lib/markdown-tasks.ts'
import { raw, type Html } from '../jsx/html.ts'
import type { MarkdownOptions } from '../markdown.ts'
import { linkToParts, partHtml, partRanges } from '../markdown/parts.ts'
import { cutBytes } from '../markdown/excerpt.ts'
import type { PageMarkdown } from '../markdown/page-markdown.ts'
import { Button } from './button.tsx'
import { CsrfField } from './form.tsx'
import { withQuery } from '../paths.ts'
import { t } from '../text.ts'

/** Options with the page that renders the document (`markdown/page-markdown.ts`). */
export type MarkdownBodyOptions = MarkdownOptions & {
  readonly page: Pick<PageMarkdown, 'place' | 'placeSource'>
}

/**
 * Where a text is shown whole, for a page that shows at most so many bytes of its HTML, as excerpt.ts
 * has it. A preview has no such address.
 */
export type WholeText = { readonly href: string | null; readonly maxBytes?: number }

/** The beginning of a text that is too long for its place, and the link to the rest. */
const beginningOf = (
  text: string,
  html: string,
  { href, maxBytes }: WholeText,
  after: (rest: string) => Html | null = () => null,
): string => {
  const most = cutBytes(text, maxBytes)
  if (Buffer.byteLength(html) <= most) return html
  const [range] = partRanges(html, most)
  if (!range) return html
  if (href === null)
    return `${partHtml(html, range)}${<p class="whole-text">{t('The preview shows the beginning of the text.')}</p>}`
  const beginning = linkToParts(partHtml(html, range), (at) => withQuery(href, { at }))
  return `${beginning}${after(html.slice(range.end)) ?? ''}${(
    <p class="whole-text">
      <a href={href}>{t('Show the whole text')}</a>
    </p>
  )}`
}

/** The beginning of a text without markup. */
export const PlainBeginning = ({ text, whole }: { text: string; whole: WholeText }) =>
  raw(beginningOf(text, (<pre class="plain-text">{text}</pre>).toString(), whole))

/** Tasks that are ticked in the rest of a text: the form sends all of those that are. */
const TickedTasks = (rest: string) => {
  const ticked = [...rest.matchAll(/ name="task" value="(\d+)" checked/g)].map(([, task]) => task)
  return ticked.length === 0 ? null : (
    <input type="hidden" name="more_tasks" value={ticked.join(',')} />
  )
}

/**
 * Markdown that a user wrote, as HTML. `empty` is shown when there is none. With `whole` a long text
 * is shown to where it has room.
 */
export const MarkdownBody = ({
  text,
  options: { page, ...options },
  empty,
  tasks,
  whole,
}: {
  text: string
  options: MarkdownBodyOptions
  empty?: string
  /** Set for those who may tick the tasks of the text. */
  tasks?: TaskForm | null
  whole?: WholeText
}) => {
  if (text.trim() === '') return <p class="muted">{empty ?? t('Nothing written.')}</p>
  if (!tasks || findTasks(text).length === 0)
    return (
      <div class="md" dir="auto">
        {raw(page.place(text, options, whole && ((html) => beginningOf(text, html, whole))))}
      </div>
    )
  return (
    <form class="md" dir="auto" action={tasks.action} method="post" data-save-on-change>
      <CsrfField csrf={tasks.csrf} />
      <input type="hidden" name="task_comment" value={tasks.comment ?? ''} />
      <input type="hidden" name="digest" value={sha256(text)} />
      {raw(
        page.place(
          text,
          { ...options, tasks: true },
          whole && ((html) => beginningOf(text, html, whole, TickedTasks)),
        ),
      )}
      <p class="no-js-only">
        <Button small>{t('Save tasks')}</Button>
      </p>
    </form>
  )
}

export type TaskForm = {
  readonly action: string
  readonly csrf: string
  /** The id of the comment; without one it is the description. */
  readonly comment?: string
}
