/** Questions about one person across all repositories. Nothing is written here. */
import type { Db } from '#core/db.ts'
import type { Timestamp } from '#lib/time.ts'

export type Place = { readonly repo_id: string; readonly number: number }

/**
 * Open pull requests that ask for somebody's review, by name or with a whole team that they are in;
 * the longest waiting first.
 */
export const reviewsWanted = (db: Db, user_id: string, limit: number): Place[] =>
  db.all<Place>(
    `SELECT p.repo_id, p.number FROM (
       SELECT pull_id, created_at FROM review_requests WHERE reviewer_id = ?1
       UNION ALL
       SELECT q.pull_id, q.created_at FROM team_members m JOIN review_requests q ON q.reviewer_id = m.team_id AND q.whole = 1 WHERE m.user_id = ?1
     ) w JOIN pulls p ON p.id = w.pull_id WHERE p.status = 'open' GROUP BY p.id ORDER BY min(w.created_at), p.id LIMIT ?2`,
    user_id,
    limit,
  )

/** Open issues and pull requests that somebody is assigned to; the last changed first. */
export const assignedTo = (
  db: Db,
  user_id: string,
  limit: number,
): (Place & { kind: 'issue' | 'pull' })[] =>
  db.all<Place & { kind: 'issue' | 'pull' }>(
    `SELECT a.repo_id, a.number, a.kind FROM assignees a JOIN records r ON r.repo_id = a.repo_id AND r.number = a.number
     WHERE a.actor_id = ? AND a.open = 1 ORDER BY r.updated_at DESC, r.seq LIMIT ?`,
    user_id,
    limit,
  )

/** Pull requests under way that a person or an agent of theirs began; the last changed first. */
export const pullsOf = (db: Db, user_id: string, limit: number): Place[] =>
  db.all<Place>(
    `SELECT p.repo_id, p.number FROM pulls p JOIN records r ON r.repo_id = p.repo_id AND r.number = p.number
     WHERE p.active = 1 AND p.author_id IN (SELECT ?1 UNION ALL SELECT id FROM actors WHERE on_behalf_of = ?1) ORDER BY r.updated_at DESC, r.seq LIMIT ?2`,
    user_id,
    limit,
  )

/** What somebody did: events of these types in a span of time, which ends before `until`. */
export type Deeds = {
  readonly actor_id: string
  readonly types: readonly string[]
  readonly since: Timestamp
  readonly until: Timestamp
}

const DEEDS = `events INDEXED BY events_of_actor WHERE actor_id = ? AND time >= ? AND time < ? AND repo_id IS NOT NULL AND type IN (SELECT value FROM json_each(?))`
const paramsOf = ({ actor_id, types, since, until }: Deeds): [string, string, string, string] => [
  actor_id,
  since,
  until,
  JSON.stringify(types),
]

/** Whether there are more than so many. */
export const hasMoreDeeds = (db: Db, deeds: Deeds, most: number): boolean =>
  db.one(`SELECT 1 FROM ${DEEDS} LIMIT 1 OFFSET ?`, ...paramsOf(deeds), most) !== null

/** The repositories in which they are. */
export const placesOf = (db: Db, deeds: Deeds): string[] =>
  db
    .all<{ repo_id: string }>(`SELECT DISTINCT repo_id FROM ${DEEDS}`, ...paramsOf(deeds))
    .map(({ repo_id }) => repo_id)

/** How many there are on each day, but for those in some repositories. */
export const countByDay = (
  db: Db,
  deeds: Deeds,
  without: readonly string[],
): { readonly day: string; readonly count: number }[] =>
  db.all(
    `SELECT substr(time, 1, 10) AS day, count(*) AS count FROM ${DEEDS} AND repo_id NOT IN (SELECT value FROM json_each(?)) GROUP BY 1 ORDER BY 1`,
    ...paramsOf(deeds),
    JSON.stringify(without),
  )
