/** Rows of assignees, and the candidates for assignment. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'

/** Ids of the assignees of a record, in the order they were named. */
export const assigneeIdsOf = (db: Db, repo_id: string, number: number): readonly string[] =>
  assigneeIdsOfAll(db, repo_id, [number]).get(number) ?? []

/** Ids of the assignees of several records, by number, in the order they were named. */
export function assigneeIdsOfAll(
  db: Db,
  repo_id: string,
  numbers: readonly number[],
): Map<number, string[]> {
  const rows = db.all<{ number: number; actor_id: string }>(
    `SELECT number, actor_id FROM assignees WHERE repo_id = ? AND number IN (SELECT value
      FROM json_each(?)) ORDER BY number, position`,
    repo_id,
    JSON.stringify(numbers),
  )
  const ids = new Map<number, string[]>()
  for (const { number, actor_id } of rows) {
    const known = ids.get(number)
    if (known) known.push(actor_id)
    else ids.set(number, [actor_id])
  }
  return ids
}

export function replaceAssignees(
  tx: Tx,
  repo_id: string,
  number: number,
  actor_ids: readonly string[],
): void {
  tx.db.run('DELETE FROM assignees WHERE repo_id = ? AND number = ?', repo_id, number)
  actor_ids.forEach((actor_id, position) =>
    tx.db.run(
      `INSERT INTO assignees (repo_id, number, actor_id, position, kind, open)
       SELECT repo_id, number, ?, ?, kind, open FROM records WHERE repo_id = ? AND number = ?`,
      actor_id,
      position,
      repo_id,
      number,
    ),
  )
}

export type CandidateRow = {
  readonly id: string
  readonly kind: 'user' | 'agent'
  readonly username: string
}

/** Whether an actor is after the last one of the page before, and has the text in its names. */
const isListed = (username: string, id: string): string =>
  `(${username}, ${id}) > (?5, ?6) AND (?3 IS NULL OR instr(lower(a.username), lower(?3)) > 0
     OR instr(lower(coalesce(a.name, '')), lower(?3)) > 0)`

/**
 * Members of the workspace, people with a role on the repository, and agents with a valid token for
 * it, by username: at most `limit` after the given one. `q` filters by a part of the username or
 * name. Members come from an index in this order, so that a page reads no more of them than it
 * shows; those with a role who are no members are few.
 */
export const listCandidates = (
  db: Db,
  repo: { id: string; workspace_id: string },
  q: string | null,
  now: string,
  { after, limit }: { after: CandidateRow | null; limit: number },
): CandidateRow[] =>
  db.all<CandidateRow>(
    `SELECT id, kind, username FROM (
       SELECT * FROM (
         SELECT a.id, a.kind, a.username FROM members m INDEXED BY members_by_username
           CROSS JOIN actors a ON a.id = m.user_id CROSS JOIN users u ON u.id = a.id
         WHERE m.workspace_id = ?2 AND u.suspended_at IS NULL
           AND ${isListed('m.username_key', 'm.user_id')}
         ORDER BY m.username_key, m.user_id LIMIT ?7)
       UNION
       SELECT a.id, a.kind, a.username FROM role_grants g
         JOIN actors a ON a.id = g.user_id JOIN users u ON u.id = a.id
       WHERE g.repo_id = ?1 AND u.suspended_at IS NULL AND ${isListed('a.username', 'a.id')}
         AND NOT EXISTS (SELECT 1 FROM members WHERE workspace_id = ?2 AND user_id = g.user_id)
       UNION
       SELECT a.id, a.kind, a.username FROM token_repos r
         JOIN tokens t ON t.id = r.token_id JOIN actors a ON a.id = t.actor_id
       WHERE r.repo_id = ?1 AND t.kind = 'agent' AND (t.expires_at IS NULL OR t.expires_at > ?4)
         AND ${isListed('a.username', 'a.id')}
     ) ORDER BY username, id LIMIT ?7`,
    repo.id,
    repo.workspace_id,
    q,
    now,
    after?.username ?? '',
    after?.id ?? '',
    limit,
  )

/**
 * An agent with a valid token for the repository, by `<username>/<agent name>`; the newest of
 * several.
 */
export const findAgent = (
  db: Db,
  repo_id: string,
  username: string,
  now: string,
): CandidateRow | null =>
  db.one<CandidateRow>(
    `SELECT a.id, a.kind, a.username FROM token_repos r JOIN tokens t ON t.id = r.token_id
       JOIN actors a ON a.id = t.actor_id
     WHERE r.repo_id = ? AND t.kind = 'agent' AND a.username = ? AND (t.expires_at IS NULL
       OR t.expires_at > ?) ORDER BY a.id DESC LIMIT 1`,
    repo_id,
    username,
    now,
  )
