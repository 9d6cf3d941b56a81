/** Questions about one person across all repositories. Nothing is written here. */
import type { Db } from '#core/db.ts'
import type { Timestamp } from '#lib/time.ts'

export type Place = { readonly repo_id: string; readonly number: number }

/** Open pull requests that ask for somebody's review, by name or with a whole team that they are in; the longest waiting first. */
export const reviewsWanted = (db: Db, user_id: string, limit: number): Place[] =>
  db.all<Place>(
    `SELECT p.repo_id, p.number FROM (
       SELECT pull_id, created_at FROM review_requests WHERE reviewer_id = ?1
       UNION ALL
       SELECT q.pull_id, q.created_at FROM team_members m JOIN review_requests q ON q.reviewer_id = m.team_id AND q.whole = 1 WHERE m.user_id = ?1
     ) w JOIN pulls p ON p.id = w.pull_id WHERE p.status = 'open' GROUP BY p.id ORDER BY min(w.created_at), p.id LIMIT ?2`,
    user_id, limit,
  )

/** Open issues and pull requests that somebody is assigned to; the last changed first. */
export const assignedTo = (db: Db, user_id: string, limit: number): (Place & { kind: 'issue' | 'pull' })[] =>
  db.all<Place & { kind: 'issue' | 'pull' }>(
    `SELECT a.repo_id, a.number, a.kind FROM assignees a JOIN records r ON r.repo_id = a.repo_id AND r.number = a.number
     WHERE a.actor_id = ? AND a.open = 1 ORDER BY r.updated_at DESC, r.seq LIMIT ?`,
    user_id, limit,
  )

/** Pull requests under way that a person or an agent of theirs began; the last changed first. */
export const pullsOf = (db: Db, user_id: string, limit: number): Place[] =>
  db.all<Place>(
    `SELECT p.repo_id, p.number FROM pulls p JOIN records r ON r.repo_id = p.repo_id AND r.number = p.number
     WHERE p.active = 1 AND p.author_id IN (SELECT ?1 UNION ALL SELECT id FROM actors WHERE on_behalf_of = ?1) ORDER BY r.updated_at DESC, r.seq LIMIT ?2`,
    user_id, limit,
  )

export type Deeds = { readonly day: string; readonly repo_id: string; readonly count: number }

/** How many events of these types somebody caused on each day in each repository since a time. */
export const deedsSince = (db: Db, actor_id: string, since: Timestamp, types: readonly string[]): Deeds[] =>
  db.all<Deeds>(
    `SELECT substr(time, 1, 10) AS day, repo_id, count(*) AS count FROM events INDEXED BY events_of_actor
     WHERE actor_id = ? AND time >= ? AND repo_id IS NOT NULL AND type IN (SELECT value FROM json_each(?)) GROUP BY 1, 2 ORDER BY 1`,
    actor_id, since, JSON.stringify(types),
  )
