/** Acceptance checks as records. */
import type { Hearth } from '#core/hearth.ts'
import { fullNameOf, repoById } from '#features/repos/index.ts'
import { tailOf } from './logs.ts'
import type { CheckResult, Checks } from './schema.ts'
import { findCurrent, findRun, listResults, type ResultRow, type RunRow } from './store.ts'

type PullHead = {
  readonly repo_id: string
  readonly number: number
  readonly head_sha: string | null
}

/** The run that counts for a head. */
export const currentRun = (
  { db }: Pick<Hearth, 'db'>,
  { repo_id, number, head_sha }: PullHead,
): RunRow | null => (head_sha === null ? null : findCurrent(db, repo_id, number, head_sha))

/** The checks of a pull request on one head. */
export function checksOf(hearth: Hearth, on: PullHead): Checks {
  const run = currentRun(hearth, on)
  return run
    ? runRecord(hearth, run)
    : {
        sha: on.head_sha,
        status: 'none',
        merge_sha: null,
        started_at: null,
        finished_at: null,
        message: null,
        results: [],
      }
}

/** A run by its id, for a pull request or a queue. */
export function checksOfRun(hearth: Hearth, run_id: string): Checks | null {
  const run = findRun(hearth.db, run_id)
  return run && runRecord(hearth, run)
}

function runRecord(hearth: Hearth, run: RunRow): Checks {
  const repo = repoById(hearth.db, run.repo_id)
  const page =
    repo === null
      ? null
      : `${hearth.settings.site_url}/${fullNameOf(hearth.db, repo)}/pull/${run.number}/checks`
  return {
    sha: run.head_sha,
    status: run.state === 'replaced' ? 'none' : run.status,
    merge_sha: run.merge_sha,
    started_at: run.started_at,
    finished_at: run.finished_at,
    message: run.note,
    results: listResults(hearth.db, run.id).map((result) =>
      resultRecord(hearth, run, result, page),
    ),
  }
}

const resultRecord = (
  hearth: Hearth,
  run: RunRow,
  result: ResultRow,
  page: string | null,
): CheckResult => ({
  id: result.id,
  command: result.command,
  status: result.status,
  exit_code: result.exit_code,
  duration_ms: result.duration_ms,
  started_at: result.started_at,
  finished_at: result.finished_at,
  log_url: result.log_bytes === null || page === null ? null : `${page}/${result.id}.log`,
  output_tail:
    result.status === 'running'
      ? tailOf(hearth, { repo_id: run.repo_id, run_id: run.id, id: result.id })
      : result.output_tail,
})
