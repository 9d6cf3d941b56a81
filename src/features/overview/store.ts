/** Queries about one user across all repositories. This feature writes no table. */
import type { Db } from '#core/db.ts'
import type { RecordReference } from '#features/issues/index.ts'

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

/** Repositories in which an actor contributed, in order of their ids, after one of them. */
export const listContributedRepos = (
  db: Db,
  actor_id: string,
  { after, limit }: { readonly after: string; readonly limit: number },
): string[] =>
  db
    .all<{ repo_id: string }>(
      // One lookup for each repository, however many days it has.
      `WITH RECURSIVE r (repo_id) AS (
         SELECT min(repo_id) FROM contribution_days WHERE actor_id = ?1 AND repo_id > ?2
         UNION ALL
         SELECT (SELECT min(d.repo_id) FROM contribution_days d
           WHERE d.actor_id = ?1 AND d.repo_id > r.repo_id)
         FROM r WHERE r.repo_id IS NOT NULL
       ) SELECT repo_id FROM r WHERE repo_id IS NOT NULL LIMIT ?3`,
      actor_id,
      after,
      limit,
    )
    .map(({ repo_id }) => repo_id)

/** How much an actor contributed to some repositories on each day from the first to the last. */
export const countContributionsByDay = (
  db: Db,
  actor_id: string,
  repo_ids: Iterable<string>,
  { first, last }: { readonly first: string; readonly last: string },
): { readonly day: string; readonly count: number }[] =>
  db.all(
    `SELECT d.day, sum(d.events) AS count FROM json_each(?) r
     CROSS JOIN contribution_days d ON d.actor_id = ? AND d.repo_id = r.value
       AND d.day BETWEEN ? AND ?
     GROUP BY d.day`,
    JSON.stringify([...repo_ids]),
    actor_id,
    first,
    last,
  )
