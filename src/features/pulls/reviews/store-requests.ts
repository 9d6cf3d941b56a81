/** The table `review_requests`: reviewers who were requested and have not reviewed yet. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'

export type RequestRow = {
  pull_id: string
  reviewer_id: string
  kind: 'user' | 'agent' | 'team'
  via_team: string | null
  whole: 0 | 1
}

/** In the order in which they were requested. */
export const listRequests = (db: Db, pull_id: string): RequestRow[] =>
  listRequestsOfAll(db, [pull_id])

/** Those of several pull requests, in the order in which they were requested. */
export const listRequestsOfAll = (db: Db, pull_ids: readonly string[]): RequestRow[] =>
  db.all<RequestRow>(
    `SELECT pull_id, reviewer_id, kind, via_team, whole FROM review_requests
     WHERE pull_id IN (SELECT value FROM json_each(?)) ORDER BY created_at, reviewer_id`,
    JSON.stringify(pull_ids),
  )

/** Inserts a request; an existing one stays as it is. Returns whether it is new. */
export const insertRequest = (tx: Tx, row: RequestRow & { requested_by: string | null }): boolean =>
  tx.db.run(
    `INSERT
      OR IGNORE INTO review_requests (pull_id, reviewer_id, kind, via_team, whole, requested_by,
      created_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
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
 * Pull requests that wait for the review of an account: requested by name, picked, or with a whole
 * team of theirs.
 */
const WAITING_FOR = `SELECT pull_id FROM review_requests WHERE reviewer_id = who.value
  UNION SELECT q.pull_id FROM team_members m
    JOIN review_requests q ON q.reviewer_id = m.team_id AND q.whole = 1
    WHERE m.user_id = who.value`

/** Open pull requests that wait for each of these people, in all repositories. */
export const countWaiting = (db: Db, user_ids: readonly string[]): Map<string, number> =>
  new Map(
    db
      .all<{ id: string; count: number }>(
        `SELECT who.value AS id, (SELECT count(*) FROM (${WAITING_FOR}) w
          JOIN pulls p ON p.id = w.pull_id AND p.status = 'open') AS count FROM json_each(?) who`,
        JSON.stringify(user_ids),
      )
      .map(({ id, count }) => [id, count]),
  )

/** The condition on `pulls p` that an account or team of a JSON array is requested. */
export const REVIEW_REQUESTED = `p.id IN (SELECT r.pull_id FROM json_each(?) who
   JOIN review_requests r ON r.reviewer_id = who.value
  UNION SELECT q.pull_id FROM json_each(?) who JOIN team_members m ON m.user_id = who.value
    JOIN review_requests q ON q.reviewer_id = m.team_id AND q.whole = 1)`
