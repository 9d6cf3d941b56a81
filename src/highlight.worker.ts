/** Colours source on a thread of its own, so that a large file holds up nobody else's page. */
import { highlightNow } from '#web/highlight.ts'
import type { HighlightAnswer, HighlightQuestion } from '#web/highlight/thread.ts'

declare const self: Worker

self.onmessage = ({ data }: MessageEvent<HighlightQuestion>) => {
  const answer: HighlightAnswer = { id: data.id, lines: highlightNow(data.text, data.grammar) }
  postMessage(answer)
}
