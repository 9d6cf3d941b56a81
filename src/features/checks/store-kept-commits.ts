/**
 * Commits of unfinished runs, which garbage collection must retain. A run may wait for approval for
 * weeks.
 */
import type { Db } from '#core/db.ts'
import type { Oid } from '#git'
import type { RetainedPage } from '#features/repos/index.ts'

const RUNS_PER_PAGE = 2000

type Row = {
  id: string
  number: number
  purpose: string
  state: string
  head_sha: Oid
  base_sha: Oid | null
  merge_sha: Oid | null
}

/** `after` is the number, purpose and id of the last run of the previous page. */
export function retainedCommitsOfRuns(db: Db, repo_id: string, after: string): RetainedPage {
  const [number = '0', purpose = '', id = ''] = after.split(' ')
  const rows = db.all<Row>(
    `SELECT id, number, purpose, state, head_sha, base_sha, merge_sha FROM check_runs
     WHERE repo_id = ? AND (number, purpose, id) > (?, ?, ?) ORDER BY number, purpose, id LIMIT ?`,
    repo_id,
    Number(number),
    purpose,
    id,
    RUNS_PER_PAGE,
  )
  const waiting = rows.filter(
    ({ state }) => state === 'waiting' || state === 'queued' || state === 'running',
  )
  const last = rows.at(-1)
  return {
    oids: waiting.flatMap(({ head_sha, base_sha, merge_sha }) =>
      [head_sha, base_sha, merge_sha].filter((oid) => oid !== null),
    ),
    next:
      last === undefined || rows.length < RUNS_PER_PAGE
        ? null
        : `${last.number} ${last.purpose} ${last.id}`,
  }
}
