/** The thread that highlights source, so that a large file does not block other requests. */
import { highlightNow } from '#web/highlight.ts'
import type { HighlightAnswer, HighlightQuestion } from '#web/highlight/thread.ts'

declare const self: Worker

self.onmessage = ({ data }: MessageEvent<HighlightQuestion>) => {
  const answer: HighlightAnswer = { id: data.id, lines: highlightNow(data.text, data.grammar) }
  postMessage(answer)
}
