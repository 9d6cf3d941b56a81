/** The thread that highlights source, so that a hostile file does not block other requests. */
import { lowerThreadPriority, NICENESS } from '#lib/threads/thread.ts'
import { serveRequests } from '#lib/threads/worker-requests.ts'
import { highlightNow } from '#web/highlight.ts'
import type { HighlightRequest } from '#web/highlight/highlighter.ts'

lowerThreadPriority(NICENESS.untrusted)

serveRequests((requests: readonly HighlightRequest[]) =>
  requests.map(({ texts, grammar }) => texts.map((text) => highlightNow(text, grammar))),
)
