import { readsRepo, type RepoGrant } from '#core/access.ts'
import type { Db } from '#core/db.ts'
import { operation } from '#core/operation.ts'
import { principalOf } from '#core/principal.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { notFound } from '#lib/errors.ts'
import { networkOf } from '#lib/net.ts'
import { timestamp } from '#lib/time.ts'
import { jobLogs } from '../extension-points.ts'
import { followLog, logText, startOfStream } from './follow-log.ts'
import type { LogPage } from '#runner'
import { JobId } from '../inputs.ts'
import { logSearch, type FindLines } from './log-search.ts'
import { requireJob } from '../records.ts'
import { JobLog } from '../schema.ts'
import { listSteps, type JobRow } from './store-jobs.ts'

const MAX_LINES = 1_000
/** Of a search, for one answer. */
const MAX_SEARCHED_LINES = 50_000

export const getJobLog = operation({
  name: 'get_job_log',
  summary:
    'Read the log of a job by lines, while it is written or afterwards: after a line number, the last lines (tail), the lines of one step, or those that match an expression (grep). At most 1,000 lines an answer; next goes on.',
  keywords: ['CI log', 'why did the build fail', 'output of a job', 'console output'],
  route: 'GET /repos/{owner}/{name}/actions/jobs/{id}/log',
  toolset: 'workflows',
  access: readsRepo({ scope: 'workflows:read' }),
  input: Type.Object({
    repo: RepoPath,
    id: JobId,
    after: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Only lines with a greater number.' }),
    ),
    tail: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_LINES, description: 'The last so many lines.' }),
    ),
    step: Type.Optional(Type.Integer({ minimum: 0, description: 'Only lines of this step.' })),
    grep: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'Only lines that match this expression (RE2). An answer searches at most 50,000 lines, so it may have none and a next.',
      }),
    ),
  }),
  output: JobLog,
  // The output of commands is controlled by the change.
  untrusted: (output) =>
    'items' in output
      ? textsOfEvents(output.items as readonly object[])
      : output.lines.map((_, index) => `/lines/${index}/text`),
  text: ({ hearth, db, repo, currentGrant }, { id, ...selection }) =>
    logText(hearth, {
      after: startOfStream(requireLog(db, repo, id), selection),
      current: () => requireLog(db, currentGrant().repo, id),
    }),
  follow: ({ hearth, db, repo, signal, currentGrant }, { id, ...selection }, lastEventId) => {
    const seen = /^\d{1,9}$/.test(lastEventId ?? '') ? Number(lastEventId) : 0
    const after = startOfStream(requireLog(db, repo, id), selection)
    const current = () => requireLog(db, currentGrant().repo, id)
    return followLog(hearth, { after: Math.max(after, seen), current, signal })
  },

  handler: async (
    { hearth, db, repo, caller, origin, signal },
    { id, after, tail, step, grep },
  ) => {
    const job = requireLog(db, repo, id)
    const [read] = jobLogs.all(hearth)
    const complete = job.status === 'completed'
    if (job.log_state === 'none' || !read) return { lines: [], next: null, complete }
    const range = rangeOf(job.log_lines, stepOf(step), { after, tail })
    const readPage = (from: number, count: number) => read(hearth, job, from, count)
    const { lines, next } =
      grep === undefined
        ? await readPage(range.from, range.count)
        : await logSearch(hearth).run(grep, { caller: searcher(), signal }, (find) =>
            searchLines(readPage, range, find),
          )
    const isEnd = next === null || next > range.to
    return {
      lines: lines
        .filter(({ n }) => n <= range.to)
        .map(({ n, at, text }) => ({ n, at: timestamp(at), text })),
      next: isEnd ? null : next - 1,
      complete,
    }

    function searcher(): string {
      return caller.kind === 'anonymous'
        ? (networkOf(origin.ip) ?? 'unknown')
        : principalOf(caller, origin)
    }

    function stepOf(number: number | undefined) {
      if (number === undefined) return null
      const found = listSteps(db, [job.same_as ?? job.id]).find((row) => row.number === number)
      if (!found) throw notFound(`the step ${number} of ${job.name}`)
      return found
    }
  },
})

/** The last event of a stream has no text. */
const textsOfEvents = (events: readonly object[]): string[] =>
  events.flatMap((event, index) => ('text' in event ? [`/items/${index}/text`] : []))

/** Throws 404 for a log that was deleted. */
function requireLog(db: Db, repo: RepoGrant, id: string): JobRow {
  const job = requireJob(db, repo, id)
  if (job.log_state === 'expired') throw notFound(`the log of ${job.name}, which was deleted`)
  return job
}

type Range = { readonly from: number; readonly to: number }

/** The lines that match, page by page, until there are enough or the search has done enough. */
async function searchLines(
  readPage: (from: number, count: number) => Promise<LogPage>,
  { from, to }: Range,
  find: FindLines,
): Promise<LogPage> {
  const found: LogPage['lines'][number][] = []
  const end = from + MAX_SEARCHED_LINES
  let next: number | null = from
  while (next !== null && next <= to && next < end && found.length < MAX_LINES) {
    const page: LogPage = await readPage(next, MAX_LINES)
    const indexes = await find(page.lines.map(({ text }) => text))
    if (indexes === null) return { lines: found, next }
    for (const index of indexes) {
      const line = page.lines[index]
      if (!line) continue
      if (found.length === MAX_LINES) return { lines: found, next: line.n }
      found.push(line)
    }
    next = page.next
  }
  return { lines: found, next }
}

type StepLines = { readonly log_from: number | null; readonly log_to: number | null }

/** The first line, how many, and the last line that belongs to what was asked for. */
function rangeOf(
  lines: number,
  step: StepLines | null,
  { after, tail }: { after?: number | undefined; tail?: number | undefined },
): { from: number; count: number; to: number } {
  const first = step?.log_from ?? 1
  const to = step ? (step.log_to ?? Number.MAX_SAFE_INTEGER) : Number.MAX_SAFE_INTEGER
  if (step && step.log_from === null) return { from: 1, count: 1, to: 0 }
  if (tail !== undefined) {
    const end = Math.min(lines, to)
    return { from: Math.max(first, end - tail + 1), count: tail, to }
  }
  return { from: Math.max(first, (after ?? 0) + 1), count: MAX_LINES, to }
}
