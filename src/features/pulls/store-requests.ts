/** The table `review_requests`: who is asked to review a pull request and has not answered yet. */
import type { Db } from '#core/db.ts'
import { keepAll, kept } from '#core/look.ts'
import type { Tx } from '#core/write.ts'

export type RequestRow = {
  pull_id: string
  reviewer_id: string
  kind: 'user' | 'agent' | 'team'
  via_team: string | null
  whole: 0 | 1
}

/** In the order in which they were asked. */
export const listRequests = (db: Db, pull_id: string): readonly RequestRow[] =>
  kept(db, 'review requests', pull_id, () => listRequestsOfAll(db, [pull_id]))

const listRequestsOfAll = (db: Db, pull_ids: readonly string[]): RequestRow[] =>
  db.all<RequestRow>(
    'SELECT pull_id, reviewer_id, kind, via_team, whole FROM review_requests WHERE pull_id IN (SELECT value FROM json_each(?)) ORDER BY created_at, reviewer_id',
    JSON.stringify(pull_ids),
  )

/**
 * Brings the requests of a page into the look that is under way; gives the ids of all who are
 * asked, but teams.
 */
export function keepRequests(db: Db, pull_ids: readonly string[]): string[] {
  const rows = listRequestsOfAll(db, pull_ids)
  keepAll(
    db,
    'review requests',
    pull_ids,
    () => Map.groupBy(rows, ({ pull_id }) => pull_id),
    () => [],
  )
  return rows.flatMap(({ kind, reviewer_id }) => (kind === 'team' ? [] : [reviewer_id]))
}

/**
 * Adds a request; somebody who is asked already stays asked as they were. Gives whether it is new.
 */
export const insertRequest = (tx: Tx, row: RequestRow & { requested_by: string | null }): boolean =>
  tx.db.run(
    'INSERT OR IGNORE INTO review_requests (pull_id, reviewer_id, kind, via_team, whole, requested_by, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
    row.pull_id,
    row.reviewer_id,
    row.kind,
    row.via_team,
    row.whole,
    row.requested_by,
    tx.now,
  ) > 0

export const removeRequest = (tx: Tx, pull_id: string, reviewer_id: string): boolean =>
  tx.db.run(
    'DELETE FROM review_requests WHERE pull_id = ? AND reviewer_id = ?',
    pull_id,
    reviewer_id,
  ) > 0

/**
 * Open pull requests that wait for the review of somebody: asked by name, picked, or with a whole
 * team that they are in.
 */
const WAITING_FOR = `SELECT pull_id FROM review_requests WHERE reviewer_id = who.value
  UNION SELECT q.pull_id FROM team_members m JOIN review_requests q ON q.reviewer_id = m.team_id AND q.whole = 1 WHERE m.user_id = who.value`

/** How many wait for each of these people, anywhere. */
export const countWaiting = (db: Db, user_ids: readonly string[]): Map<string, number> =>
  new Map(
    db
      .all<{ id: string; count: number }>(
        `SELECT who.value AS id, (SELECT count(*) FROM (${WAITING_FOR}) w JOIN pulls p ON p.id = w.pull_id AND p.status = 'open') AS count FROM json_each(?) who`,
        JSON.stringify(user_ids),
      )
      .map(({ id, count }) => [id, count]),
  )

/** The condition on `pulls` that one of the accounts or teams of a JSON array is asked. */
export const REVIEW_REQUESTED = `id IN (SELECT r.pull_id FROM json_each(?) who JOIN review_requests r ON r.reviewer_id = who.value
  UNION SELECT q.pull_id FROM json_each(?) who JOIN team_members m ON m.user_id = who.value JOIN review_requests q ON q.reviewer_id = m.team_id AND q.whole = 1)`
