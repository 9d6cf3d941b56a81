/**
 * Commits that checks are still to be run on; a run may wait for weeks until somebody allows it.
 */
import type { Db } from '#core/db.ts'
import type { Oid } from '#git'
import type { KeptPage } from '#features/repos/index.ts'

const RUNS_AT_ONCE = 2000

type Row = {
  id: string
  number: number
  purpose: string
  state: string
  head_sha: Oid
  base_sha: Oid | null
  merge_sha: Oid | null
}

/** `after` is the number, purpose and id of the last run that was looked at. */
export function keptOfRuns(db: Db, repo_id: string, after: string): KeptPage {
  const [number = '0', purpose = '', id = ''] = after.split(' ')
  const rows = db.all<Row>(
    `SELECT id, number, purpose, state, head_sha, base_sha, merge_sha FROM check_runs
     WHERE repo_id = ? AND (number, purpose, id) > (?, ?, ?) ORDER BY number, purpose, id LIMIT ?`,
    repo_id,
    Number(number),
    purpose,
    id,
    RUNS_AT_ONCE,
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
      last === undefined || rows.length < RUNS_AT_ONCE
        ? null
        : `${last.number} ${last.purpose} ${last.id}`,
  }
}
