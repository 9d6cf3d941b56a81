/** The table `commit_statuses`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Oid } from '#git'
import type { Timestamp } from '#lib/time.ts'
import type { State } from './schema.ts'

export type StatusRow = {
  id: string
  repo_id: string
  sha: Oid
  context: string
  state: State
  description: string | null
  target_url: string | null
  creator_id: string | null
  created_at: Timestamp
}

export function insertStatus(tx: Tx, row: StatusRow): void {
  tx.db.run(
    `INSERT INTO commit_statuses (id, repo_id, sha, context, state, description, target_url,
      creator_id, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.repo_id,
    row.sha,
    row.context,
    row.state,
    row.description,
    row.target_url,
    row.creator_id,
    row.created_at,
  )
}

/**
 * The latest status of each context, by name; with `agents: false` the latest that no agent set.
 */
export const listLatest = (db: Db, repo_id: string, sha: Oid): StatusRow[] =>
  listLatestOfAll(db, repo_id, [sha])

/** The same for several commits. */
export const listLatestOfAll = (
  db: Db,
  repo_id: string,
  shas: readonly Oid[],
  { agents = true }: { agents?: boolean } = {},
): StatusRow[] =>
  db.all<StatusRow>(
    `SELECT * FROM commit_statuses WHERE id IN (
       SELECT max(id) FROM commit_statuses WHERE repo_id = ?1 AND sha IN (SELECT value FROM json_each(?2))
         AND (?3 = 1 OR creator_id IS NULL OR creator_id NOT LIKE 'agt\\_%' ESCAPE '\\')
           GROUP BY sha, context)
     ORDER BY context`,
    repo_id,
    JSON.stringify(shas),
    agents ? 1 : 0,
  )

export const countContexts = (db: Db, repo_id: string, sha: Oid): number =>
  db.one<{ count: number }>(
    'SELECT count(DISTINCT context) AS count FROM commit_statuses WHERE repo_id = ? AND sha = ?',
    repo_id,
    sha,
  )?.count ?? 0

export const hasContext = (db: Db, repo_id: string, sha: Oid, context: string): boolean =>
  db.one(
    'SELECT 1 FROM commit_statuses WHERE repo_id = ? AND sha = ? AND context = ? LIMIT 1',
    repo_id,
    sha,
    context,
  ) !== null

export const removeStatuses = (tx: Tx, repo_id: string, limit: number): number =>
  tx.db.run(
    'DELETE FROM commit_statuses WHERE id IN (SELECT id FROM commit_statuses WHERE repo_id = ? LIMIT ?)',
    repo_id,
    limit,
  )
