import { sha256 } from '#lib/hash.ts'
import { findTasks } from '#lib/markdown-tasks.ts'
import { raw } from '../jsx/html.ts'
import type { MarkdownOptions } from '../markdown.ts'
import type { PageMarkdown } from '../markdown/page-markdown.ts'
import { Button } from './button.tsx'
import { CsrfField } from './form.tsx'
import { t } from '../text.ts'

/** Options with the page that renders the document (`markdown/page-markdown.ts`). */
export type MarkdownBodyOptions = MarkdownOptions & {
  readonly page: Pick<PageMarkdown, 'place' | 'placeSource'>
}

/** Markdown that a user wrote, as HTML. `empty` is shown when there is none. */
export const MarkdownBody = ({
  text,
  options: { page, ...options },
  empty,
  tasks,
}: {
  text: string
  options: MarkdownBodyOptions
  empty?: string
  /** Set for those who may tick the tasks of the text. */
  tasks?: TaskForm | null
}) => {
  if (text.trim() === '') return <p class="muted">{empty ?? t('Nothing written.')}</p>
  if (!tasks || findTasks(text).length === 0)
    return (
      <div class="md" dir="auto">
        {raw(page.place(text, options))}
      </div>
    )
  return (
    <form class="md" dir="auto" action={tasks.action} method="post" data-save-on-change>
      <CsrfField csrf={tasks.csrf} />
      <input type="hidden" name="task_comment" value={tasks.comment ?? ''} />
      <input type="hidden" name="digest" value={sha256(text)} />
      {raw(page.place(text, { ...options, tasks: true }))}
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
