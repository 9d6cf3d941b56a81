/** The thread that searches lines of logs: whoever reads a log chooses the expression. */
import { RE2JS } from 're2js'
import { lowerThreadPriority, NICENESS, ownThreadCpuMs } from '#lib/threads/thread.ts'
import { serveRequests } from '#lib/threads/worker-requests.ts'
import type { SearchRequest, SearchResponse } from './log-search.ts'

lowerThreadPriority(NICENESS.untrusted)

/** Instructions of a compiled expression: its repetitions multiply them. */
const MAX_PROGRAM_STEPS = 1_500
/** What is searched of a line. */
const MAX_LINE_CHARS = 4_096

serveRequests(({ expression, lines }: SearchRequest): SearchResponse => {
  const startMs = ownThreadCpuMs()
  let compiled: RE2JS
  try {
    compiled = RE2JS.compile(expression)
  } catch (error) {
    const message = error instanceof Error ? error.message : 'it cannot be read'
    return { fault: `is no RE2 expression: ${message.replace(/^error parsing regexp: /, '')}` }
  }
  if (compiled.programSize() > MAX_PROGRAM_STEPS) return { fault: 'has too large repetitions' }
  const found: number[] = []
  lines.forEach((line, index) => {
    if (compiled.matcher(line.slice(0, MAX_LINE_CHARS)).find()) found.push(index)
  })
  return { found, cpuMs: ownThreadCpuMs() - startMs }
})
