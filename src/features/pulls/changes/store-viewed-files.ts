/** The table `viewed_files`: which version of each file a reader marked as viewed. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Oid } from '#git'

/** A deleted file has no blob id, so its mark has a version of its own. */
export const versionOf = (oid: Oid | null): string => oid ?? ''

export const listViewed = (db: Db, pull_id: string, user_id: string): Map<string, string> =>
  new Map(
    db
      .all<{ path: string; oid: string }>(
        'SELECT path, oid FROM viewed_files WHERE pull_id = ? AND user_id = ?',
        pull_id,
        user_id,
      )
      .map(({ path, oid }) => [path, oid]),
  )

export const setViewed = (
  tx: Tx,
  mark: { pull_id: string; user_id: string; path: string; oid: string },
): void =>
  void tx.db.run(
    'INSERT OR REPLACE INTO viewed_files (pull_id, user_id, path, oid, viewed_at) VALUES (?, ?, ?, ?, ?)',
    mark.pull_id,
    mark.user_id,
    mark.path,
    mark.oid,
    tx.now,
  )

export const removeViewed = (
  tx: Tx,
  { pull_id, user_id, path }: { pull_id: string; user_id: string; path: string },
): void =>
  void tx.db.run(
    'DELETE FROM viewed_files WHERE pull_id = ? AND user_id = ? AND path = ?',
    pull_id,
    user_id,
    path,
  )
