import { readsRepo, RIGHTS_INTERVAL_MS } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation } from '#core/operation.ts'
import { RecordNumber, RepoPath, Type } from '#core/schema.ts'
import { notFound } from '#lib/errors.ts'
import { SECOND } from '#lib/time.ts'
import { onRunChange, readLog, startOfTail } from './logs.ts'
import { CheckLog } from './schema.ts'
import { findResult } from './store.ts'

const DEFAULT_PART_BYTES = 64 * 1024
/** The limit for pages and downloads, which read the whole log. */
const MAX_PART_BYTES = 1024 * 1024
const MAX_WAIT_SECONDS = 25

export const getCheckLog = operation({
  name: 'get_check_log',
  summary:
    'Read the output of one acceptance check, as it is written or afterwards. after goes on where an answer left off (its next); wait holds the request until there is more.',
  keywords: [
    'build log',
    'why did the build fail',
    'test output',
    'CI log',
    'output of a failing test',
    'console output',
    'job log',
    'error of a check',
  ],
  route: 'GET /repos/{owner}/{name}/pulls/{number}/checks/{check}/log',
  toolset: 'pulls',
  listed: 'default',
  access: readsRepo({ scope: 'pulls:read' }),
  input: Type.Object({
    repo: RepoPath,
    number: RecordNumber,
    check: Type.String({ minLength: 1, maxLength: 60, description: 'The id of a result, chk_.' }),
    after: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'The next of an earlier answer; the beginning unless given.',
      }),
    ),
    tail: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_PART_BYTES,
        description: 'Begin so many bytes before the present end instead.',
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_PART_BYTES,
        description: 'The most bytes to answer, 65,536 unless given.',
      }),
    ),
    wait: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_WAIT_SECONDS,
        description: 'Seconds to wait for output when there is none yet.',
      }),
    ),
  }),
  output: CheckLog,
  // Command output is controlled by the change.
  untrusted: ({ text }) => (text === '' ? [] : ['/text']),

  handler: async (
    { hearth, db, repo, signal, currentGrant },
    { number, check, tail, limit = DEFAULT_PART_BYTES, wait = 0, ...given },
  ) => {
    const end = performance.now() + wait * SECOND
    const seen = findResult(db, repo.id, number, check)
    const after =
      tail === undefined || !seen
        ? (given.after ?? 0)
        : startOfTail(hearth, { repo_id: repo.id, run_id: seen.run_id, id: seen.id }, tail)
    for (;;) {
      const result = findResult(db, repo.id, number, check)
      const log =
        result &&
        readLog(hearth, { repo_id: repo.id, run_id: result.run_id, id: result.id }, after, limit)
      if (!result || (result.log_bytes === null && result.status !== 'queued'))
        throw notFound(`the output of ${check}`)
      const complete = result.status !== 'queued' && result.status !== 'running'
      const left = end - performance.now()
      if (
        (log?.text ?? '') !== '' ||
        result.status !== seen?.status ||
        complete ||
        left <= 0 ||
        signal.aborted ||
        hearth.stopping.aborted
      ) {
        const next = log?.next ?? after
        return {
          check,
          status: result.status,
          text: log?.text ?? '',
          next: complete && next >= (log?.size ?? 0) ? null : next,
          complete,
        }
      }
      const wait_ms = Math.min(left, RIGHTS_INTERVAL_MS)
      await waitForChange(hearth, result.run_id, wait_ms, [signal, hearth.stopping])
      currentGrant()
    }
  },
})

/** Resolves when the run changes, after the time, or when a signal is aborted. */
function waitForChange(
  hearth: Hearth,
  run_id: string,
  milliseconds: number,
  signals: readonly AbortSignal[],
): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      stop()
      for (const signal of signals) signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    const stop = onRunChange(hearth, run_id, end)
    for (const signal of signals) {
      if (signal.aborted) return end()
      signal.addEventListener('abort', end)
    }
  })
}
