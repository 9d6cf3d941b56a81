/** The thread that renders Markdown, so that a hostile document does not block other requests. */
import { lowerThreadPriority, NICENESS } from '#lib/threads/thread.ts'
import { serveRequests } from '#lib/threads/worker-requests.ts'
import { withLocale } from '#web/locale.ts'
import { renderMarkdown } from '#web/markdown.ts'
import { renderMath } from '#web/markdown/math.ts'
import { divideDocument } from '#web/markdown/parts.ts'
import type { MarkdownRequest } from '#web/markdown/renderer.ts'

lowerThreadPriority(NICENESS.untrusted)

serveRequests(({ text, options, locale }: MarkdownRequest) =>
  withLocale(locale, () => divideDocument(renderMarkdown(text, options, renderMath))),
)
