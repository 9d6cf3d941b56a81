/** Which pull requests a list shows: the conditions on the table `pulls`, and the rows of a page. */
import type { Db, SqlValue } from '#core/db.ts'
import type { JoinedConditions } from '#features/issues/index.ts'
import type { Oid } from '#git'
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

/** A verdict that is the last of its reviewer and still stands. */
const standing = (verdict: 'approve' | 'request_changes'): string =>
  `SELECT 1 FROM reviews v WHERE v.pull_id = p.id AND v.verdict = '${verdict}'
     AND v.dismissed_at IS NULL AND v.could_write = 1 AND v.author_id <> p.author_id
     ${verdict === 'approve' ? 'AND v.outdated = 0' : ''}
     AND NOT EXISTS (SELECT 1 FROM reviews w WHERE w.pull_id = p.id AND w.author_id = v.author_id
       AND w.verdict <> 'comment' AND w.id > v.id)`

const REVIEW_CONDITIONS: Record<ReviewState, readonly string[]> = {
  none: [`NOT EXISTS (SELECT 1 FROM reviews v WHERE v.pull_id = p.id AND v.verdict <> 'comment')`],
  required: [`NOT EXISTS (${standing('approve')})`, `NOT EXISTS (${standing('request_changes')})`],
  approved: [`EXISTS (${standing('approve')})`, `NOT EXISTS (${standing('request_changes')})`],
  changes_requested: [`EXISTS (${standing('request_changes')})`],
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
  for (const sql of review === undefined ? [] : REVIEW_CONDITIONS[review]) add(sql)
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

/** The heads of pull requests, in the order of the given numbers. */
export function listHeadsByNumber(
  db: Db,
  repo_id: string,
  numbers: readonly number[],
): { number: number; head_sha: Oid | null }[] {
  const rows = db.all<{ number: number; head_sha: Oid | null }>(
    'SELECT number, head_sha FROM pulls WHERE repo_id = ? AND number IN (SELECT value FROM json_each(?))',
    repo_id,
    JSON.stringify(numbers),
  )
  const byNumber = new Map(rows.map((row) => [row.number, row]))
  return numbers.flatMap((number) => byNumber.get(number) ?? [])
}

export type ReviewStateRow = Pick<PullRow, 'repo_id' | 'number' | 'status' | 'head_sha'> & {
  readonly review: 'none' | 'approved' | 'changes_requested'
}

/** Pull requests of any repositories, each with the state of its reviews. */
export const listReviewStates = (
  db: Db,
  places: readonly { readonly repo_id: string; readonly number: number }[],
): ReviewStateRow[] =>
  db.all<ReviewStateRow>(
    `SELECT p.repo_id, p.number, p.status, p.head_sha,
       CASE WHEN EXISTS (${standing('request_changes')}) THEN 'changes_requested'
         WHEN EXISTS (${standing('approve')}) THEN 'approved' ELSE 'none' END AS review
     FROM json_each(?) w JOIN pulls p ON p.repo_id = w.value ->> 0 AND p.number = w.value ->> 1`,
    JSON.stringify(places.map(({ repo_id, number }) => [repo_id, number])),
  )

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
