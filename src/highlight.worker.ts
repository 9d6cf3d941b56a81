/** The thread that highlights source, so that a large file does not block other requests. */
import { serveRequests } from '#lib/worker-requests.ts'
import { highlightNow } from '#web/highlight.ts'
import type { HighlightRequest } from '#web/highlight/thread.ts'

serveRequests(({ text, grammar }: HighlightRequest) => highlightNow(text, grammar))
