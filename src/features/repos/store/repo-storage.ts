/** Reads `repo_storage`, the files that each repository stores. Triggers keep the table. */
import type { Db } from '#core/db.ts'
import { workspaceTotals } from '#core/workspace-totals.ts'

export type StorageKind = 'lfs' | 'release_assets' | 'attachments' | 'artifacts' | 'caches' | 'logs'

export type StorageTotals = { readonly files: number; readonly bytes: number }

export const storageOfRepo = (db: Db, repo_id: string, kind: StorageKind): StorageTotals =>
  db.one<StorageTotals>(
    'SELECT files, bytes FROM repo_storage WHERE repo_id = ? AND kind = ?',
    repo_id,
    kind,
  ) ?? { files: 0, bytes: 0 }

export type RepoStorage = StorageTotals & { readonly repo_id: string }

/** Of each repository of a workspace that has such files, deleted ones included. */
export const listStorageOfWorkspace = (
  db: Db,
  workspace_id: string,
  kind: StorageKind,
): RepoStorage[] =>
  db.all<RepoStorage>(
    `SELECT repo_id, files, bytes FROM repo_storage
     WHERE workspace_id = ? AND kind = ? AND files > 0`,
    workspace_id,
    kind,
  )

/**
 * Counts the bytes of one kind in all repositories of workspaces, deleted ones included. The result
 * has each workspace that has any.
 */
export const storedBytesCounter =
  (kind: StorageKind) =>
  (db: Db, workspace_ids: readonly string[]): ReadonlyMap<string, number> =>
    workspaceTotals(
      db,
      `SELECT workspace_id, sum(bytes) AS total FROM repo_storage
       WHERE workspace_id IN (SELECT value FROM json_each(?)) AND kind = ? GROUP BY workspace_id`,
      workspace_ids,
      kind,
    )
