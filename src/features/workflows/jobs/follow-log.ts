/** The whole log of a job, and its further lines as they are written. */
import type { Hearth } from '#core/hearth.ts'
import { RIGHTS_INTERVAL_MS } from '#core/access.ts'
import type { StreamEvent } from '#core/operation.ts'
import { invalid } from '#lib/errors.ts'
import { SECOND, timestamp } from '#lib/time.ts'
import type { LogPage } from '#runner'
import { jobLogs } from '../extension-points.ts'
import { runChanges } from '../runs/run-changes.ts'
import type { JobRow } from './store-jobs.ts'

const LINES_AT_ONCE = 1_000
/** Lines of a log are told about with the reports of the job; this is for what is not told. */
const MAX_WAIT_MS = 2 * SECOND

export type LogSelection = {
  readonly after?: number | undefined
  readonly tail?: number | undefined
  readonly step?: number | undefined
  readonly grep?: string | undefined
}

/** The line before the first one. Throws 422 for what only a page of a log can select. */
export function startOfStream({ log_lines }: JobRow, selection: LogSelection): number {
  const field = selection.step !== undefined ? 'step' : selection.grep !== undefined ? 'grep' : null
  if (field !== null)
    throw invalid(field, `${field} selects from a log in JSON; a text or a stream has all lines`)
  const { after = 0, tail } = selection
  return Math.max(after, tail === undefined ? 0 : log_lines - tail)
}

type Reading = {
  readonly after: number
  /** The job as it is now. Throws once the reader has lost the right. */
  readonly current: () => JobRow
}

type Part = {
  readonly lines: LogPage['lines']
  /** Whether there are more lines now. */
  readonly hasMore: boolean
  /** Whether no line is added any more. */
  readonly isEnd: boolean
}

/** Pages of lines; an empty one when there is nothing new. */
async function* pagesOf(hearth: Hearth, { after, current }: Reading): AsyncGenerator<Part> {
  const [read] = jobLogs.all(hearth)
  let [job, checkedAt] = [current(), performance.now()]
  for (let from = after + 1; ; ) {
    if (performance.now() - checkedAt >= RIGHTS_INTERVAL_MS || job.status !== 'completed') {
      job = current()
      checkedAt = performance.now()
    }
    const hasLog = read !== undefined && job.log_state !== 'none' && job.log_state !== 'expired'
    const { lines, next } = hasLog
      ? await read(hearth, job, from, LINES_AT_ONCE)
      : { lines: [], next: null }
    const isEnd = next === null && job.status === 'completed'
    yield { lines, hasMore: next !== null, isEnd }
    if (isEnd) return
    from = (lines.at(-1)?.n ?? from - 1) + 1
  }
}

/** The text of the log so far. */
export async function* logText(hearth: Hearth, reading: Reading): AsyncGenerator<string> {
  for await (const { lines, hasMore } of pagesOf(hearth, reading)) {
    if (lines.length > 0) yield lines.map(({ text }) => `${text}\n`).join('')
    if (!hasMore) return
  }
}

/** Resolves at the next change of a run, and after two seconds at the latest. */
function nextChange(
  hearth: Hearth,
  run_id: string,
  signals: readonly AbortSignal[],
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, MAX_WAIT_MS)
  const end = runChanges(hearth).listen(run_id, resolve)
  // `draining` lives as long as the process, so what listens to it is taken away again.
  const over = new AbortController()
  for (const one of signals)
    one.addEventListener('abort', () => resolve(), { once: true, signal: over.signal })
  if (signals.some(({ aborted }) => aborted)) resolve()
  return promise.finally(() => {
    clearTimeout(timer)
    over.abort()
    end()
  })
}

/** An event a line, then `end` when the job has ended. */
export async function* followLog(
  hearth: Hearth,
  reading: Reading & { readonly signal: AbortSignal },
): AsyncGenerator<StreamEvent | null> {
  const signals = [reading.signal, hearth.draining]
  const { run_id } = reading.current()
  let last = reading.after
  for await (const { lines, hasMore, isEnd } of pagesOf(hearth, reading)) {
    for (const { n, at, text } of lines) {
      yield { id: String(n), event: 'line', data: { n, at: timestamp(at), text } }
      last = n
    }
    if (isEnd) yield { id: String(last), event: 'end', data: { complete: true } }
    if (isEnd || signals.some(({ aborted }) => aborted)) return
    if (hasMore || lines.length > 0) continue
    yield null
    await nextChange(hearth, run_id, signals)
  }
}
