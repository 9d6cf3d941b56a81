/** Queries about one user across all repositories. This feature writes no table. */
import type { Db } from '#core/db.ts'
import type { RecordReference } from '#features/issues/index.ts'
import type { Timestamp } from '#lib/time.ts'

/**
 * Open pull requests that request a user's review, by name or through a team; the longest waiting
 * first.
 */
export const listRequestedReviews = (db: Db, user_id: string, limit: number): RecordReference[] =>
  db.all<RecordReference>(
    `SELECT p.repo_id, p.number FROM (
       SELECT pull_id, created_at FROM review_requests WHERE reviewer_id = ?1
       UNION ALL
       SELECT q.pull_id, q.created_at FROM team_members m
       JOIN review_requests q ON q.reviewer_id = m.team_id AND q.whole = 1 WHERE m.user_id = ?1
     ) w JOIN pulls p ON p.id = w.pull_id WHERE p.status = 'open' GROUP BY p.id
     ORDER BY min(w.created_at), p.id LIMIT ?2`,
    user_id,
    limit,
  )

/** Open issues and pull requests that a user is assigned to; last updated first. */
export const listAssigned = (
  db: Db,
  user_id: string,
  limit: number,
): (RecordReference & { kind: 'issue' | 'pull' })[] =>
  db.all<RecordReference & { kind: 'issue' | 'pull' }>(
    `SELECT a.repo_id, a.number, a.kind FROM assignees a JOIN records r ON r.repo_id = a.repo_id
     AND r.number = a.number
     WHERE a.actor_id = ? AND a.open = 1 ORDER BY r.updated_at DESC, r.seq LIMIT ?`,
    user_id,
    limit,
  )

/** Active pull requests of a user or of their agents; last updated first. */
export const listOwnPulls = (db: Db, user_id: string, limit: number): RecordReference[] =>
  db.all<RecordReference>(
    `SELECT p.repo_id, p.number FROM pulls p JOIN records r ON r.repo_id = p.repo_id
     AND r.number = p.number
     WHERE p.active = 1 AND p.author_id IN (SELECT ?1 UNION ALL SELECT id FROM actors
     WHERE on_behalf_of = ?1) ORDER BY r.updated_at DESC, r.seq LIMIT ?2`,
    user_id,
    limit,
  )

/** The titles of issues and pull requests of a repository. */
export const listTitles = (
  db: Db,
  repo_id: string,
  numbers: readonly number[],
): { readonly number: number; readonly title: string }[] =>
  db.all(
    `SELECT number, title FROM records
     WHERE repo_id = ? AND number IN (SELECT value FROM json_each(?))`,
    repo_id,
    JSON.stringify(numbers),
  )

/** The events of an actor: these types, in a period that ends before `until`. */
export type ActivityFilter = {
  readonly actor_id: string
  readonly types: readonly string[]
  readonly since: Timestamp
  readonly until: Timestamp
}

const MATCHING_EVENTS = `events INDEXED BY events_of_actor WHERE actor_id = ? AND time >= ?
  AND time < ? AND repo_id IS NOT NULL AND type IN (SELECT value FROM json_each(?))`
const paramsOf = ({
  actor_id,
  types,
  since,
  until,
}: ActivityFilter): [string, string, string, string] => [
  actor_id,
  since,
  until,
  JSON.stringify(types),
]

/** Whether more than `most` events match. */
export const hasMoreActivity = (db: Db, deeds: ActivityFilter, most: number): boolean =>
  db.one(`SELECT 1 FROM ${MATCHING_EVENTS} LIMIT 1 OFFSET ?`, ...paramsOf(deeds), most) !== null

/** The repositories in which matching events occurred. */
export const listActiveRepos = (db: Db, deeds: ActivityFilter): string[] =>
  db
    .all<{ repo_id: string }>(`SELECT DISTINCT repo_id FROM ${MATCHING_EVENTS}`, ...paramsOf(deeds))
    .map(({ repo_id }) => repo_id)

/** The repositories of the first matching events, with the number and the last time of these. */
export function firstActivity(
  db: Db,
  deeds: ActivityFilter,
  limit: number,
): { readonly repos: readonly string[]; readonly count: number; readonly last: Timestamp | null } {
  const rows = db.all<{ repo_id: string; count: number; last: Timestamp }>(
    `SELECT repo_id, count(*) AS count, max(time) AS last FROM
       (SELECT repo_id, time FROM ${MATCHING_EVENTS} ORDER BY time LIMIT ?) GROUP BY repo_id`,
    ...paramsOf(deeds),
    limit,
  )
  return {
    repos: rows.map(({ repo_id }) => repo_id),
    count: rows.reduce((sum, { count }) => sum + count, 0),
    last: rows.reduce<Timestamp | null>(
      (latest, { last }) => (latest === null || last > latest ? last : latest),
      null,
    ),
  }
}

/** The number of matching events on each day, without those in some repositories. */
export const countActivityByDay = (
  db: Db,
  deeds: ActivityFilter,
  without: readonly string[],
): { readonly day: string; readonly count: number }[] =>
  db.all(
    `SELECT substr(time, 1, 10) AS day, count(*) AS count FROM ${MATCHING_EVENTS}
     AND repo_id NOT IN (SELECT value FROM json_each(?)) GROUP BY 1 ORDER BY 1`,
    ...paramsOf(deeds),
    JSON.stringify(without),
  )
