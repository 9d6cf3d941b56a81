/** Which pull requests a list shows: the conditions on the table `pulls`, and the rows of a page. */
import type { Db, SqlValue } from '#core/db.ts'
import type { JoinedConditions } from '#features/issues/index.ts'
import { REVIEW_REQUESTED } from './reviews/store-requests.ts'
import type { PullState, ReviewState } from './schema.ts'
import type { PullRow } from './store-pulls.ts'

export type PullFilter = {
  state: PullState
  issue?: number
  branch?: string
  base?: string
  review?: ReviewState
  review_requested?: readonly string[]
}

const hasVerdict = (condition: string): string =>
  `EXISTS (SELECT 1 FROM reviews v WHERE v.pull_id = p.id AND v.dismissed_at IS NULL AND ${condition})`

/**
 * Candidates for a state of review. Which reviews count depends on the present roles, so
 * `computed-filters.ts` decides. Only `none` is exact.
 */
const REVIEW_CANDIDATES: Record<ReviewState, readonly string[]> = {
  none: [`NOT EXISTS (SELECT 1 FROM reviews v WHERE v.pull_id = p.id AND v.verdict <> 'comment')`],
  required: [],
  approved: [hasVerdict(`v.verdict = 'approve'`)],
  changes_requested: [hasVerdict(`v.verdict = 'request_changes'`)],
}

/** The conditions of a filter. Null when the record alone decides: open pull requests, or all. */
export function pullConditions(filter: PullFilter): JoinedConditions | null {
  const where: string[] = []
  const params: SqlValue[] = []
  const add = (sql: string, ...values: SqlValue[]) => {
    where.push(sql)
    params.push(...values)
  }
  const { state, issue, branch, base, review, review_requested } = filter
  if (state === 'ready') add(`p.status = 'open'`)
  else if (state !== 'open' && state !== 'all') add('p.status = ?', state)
  if (issue !== undefined) add('p.issue = ?', issue)
  if (branch !== undefined) add('p.branch = ?', branch)
  if (base !== undefined) add('p.base_ref = ?', base)
  if (review_requested !== undefined) {
    const ids = JSON.stringify(review_requested)
    add(REVIEW_REQUESTED, ids, ids)
  }
  for (const sql of review === undefined ? [] : REVIEW_CANDIDATES[review]) add(sql)
  if (where.length === 0) return null
  if (state === 'open') add('p.active = 1')
  return { table: 'pulls p', alias: 'p', where, params, narrow: true }
}

/** Pull requests by number, in the order of the given numbers. */
export function pullsByNumber(db: Db, repo_id: string, numbers: readonly number[]): PullRow[] {
  const rows = db.all<PullRow>(
    'SELECT * FROM pulls WHERE repo_id = ? AND number IN (SELECT value FROM json_each(?))',
    repo_id,
    JSON.stringify(numbers),
  )
  const byNumber = new Map(rows.map((row) => [row.number, row]))
  return numbers.flatMap((number) => byNumber.get(number) ?? [])
}

/** The beginnings of descriptions of pull requests of any repositories. */
export const listPullBodies = (
  db: Db,
  places: readonly { readonly repo_id: string; readonly number: number }[],
  length: number,
): { repo_id: string; number: number; body: string }[] =>
  db.all(
    `SELECT p.repo_id, p.number, substr(p.body, 1, ?) AS body
     FROM json_each(?) w JOIN pulls p ON p.repo_id = w.value ->> 0 AND p.number = w.value ->> 1`,
    length,
    JSON.stringify(places.map(({ repo_id, number }) => [repo_id, number])),
  )
