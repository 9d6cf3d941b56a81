/** SQL for deleted repositories, which owners can find until they are purged. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Timestamp } from '#lib/time.ts'
import type { RepoRow } from './repos.ts'

const DELETED = 'parent_id IS NULL AND deleted_at IS NOT NULL AND purged_at IS NULL'

/** The last deleted repository of this name. */
export const findDeleted = (db: Db, workspace_id: string, name: string): RepoRow | null =>
  db.one<RepoRow>(
    `SELECT * FROM repos WHERE workspace_id = ? AND name = ? AND ${DELETED} ORDER BY deleted_at DESC, id DESC LIMIT 1`,
    workspace_id,
    name,
  )

/** Repositories that can still be restored, the last deleted first. */
export const listDeleted = (
  db: Db,
  workspace_id: string,
  now: Timestamp,
  window: { limit: number; offset: number },
): RepoRow[] =>
  db.all<RepoRow>(
    `SELECT * FROM repos WHERE workspace_id = ? AND ${DELETED} AND purge_at > ? ORDER BY deleted_at DESC, id DESC LIMIT ? OFFSET ?`,
    workspace_id,
    now,
    window.limit,
    window.offset,
  )

/** Repositories whose restore period is over. */
export const listReposToPurge = (db: Db, now: Timestamp, limit: number): RepoRow[] =>
  db.all<RepoRow>(
    'SELECT * FROM repos WHERE purge_at IS NOT NULL AND purged_at IS NULL AND purge_at <= ? ORDER BY purge_at LIMIT ?',
    now,
    limit,
  )

/** Purged repositories of a workspace whose rows are not removed yet. */
export const listPurgedIds = (db: Db, workspace_id: string): string[] =>
  db
    .all<{ id: string }>(
      `SELECT id FROM repos
       WHERE workspace_id = ? AND parent_id IS NULL AND purged_at IS NOT NULL`,
      workspace_id,
    )
    .map(({ id }) => id)

/** Some of the forks of a repository. */
export const listForkIds = (db: Db, parent_id: string, limit: number): string[] =>
  db
    .all<{ id: string }>('SELECT id FROM repos WHERE parent_id = ? LIMIT ?', parent_id, limit)
    .map(({ id }) => id)

/** Deletes the row of a purged repository; remaining rows cascade. */
export const removePurged = (tx: Tx, id: string): number =>
  tx.db.run('DELETE FROM repos WHERE id = ? AND purged_at IS NOT NULL', id)

/** Deletes some of the refs and merged-commit records of a repository. */
export const removeRefsOfRepo = (tx: Tx, repo_id: string, limit: number): number =>
  tx.db.run(
    'DELETE FROM commit_pulls WHERE (repo_id, oid) IN (SELECT repo_id, oid FROM commit_pulls WHERE repo_id = ? LIMIT ?)',
    repo_id,
    limit * 10,
  ) +
  tx.db.run(
    'DELETE FROM refs WHERE (repo_id, name) IN (SELECT repo_id, name FROM refs WHERE repo_id = ? LIMIT ?)',
    repo_id,
    limit * 10,
  )

export const isStoreUsed = (db: Db, store: string): boolean =>
  db.one(
    'SELECT 1 FROM repos WHERE store = ?1 UNION ALL SELECT 1 FROM private_stores WHERE store = ?1 LIMIT 1',
    store,
  ) !== null
