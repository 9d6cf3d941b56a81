/** SQL for earlier contributions. It only reads the tables of pull requests and actors. */
import type { Db } from '#core/db.ts'

/** Counts the merged pull requests of a person and of their agents, except these. */
export const countMergedBefore = (
  db: Db,
  repo_id: string,
  person_id: string,
  but: readonly number[],
): number =>
  db.one<{ count: number }>(
    `SELECT count(*) AS count FROM pulls p JOIN actors a ON a.id = p.author_id
     WHERE p.repo_id = ?1 AND p.status = 'merged' AND (a.id = ?2 OR a.on_behalf_of = ?2)
       AND p.number NOT IN (SELECT value FROM json_each(?3))`,
    repo_id,
    person_id,
    JSON.stringify(but),
  )?.count ?? 0
