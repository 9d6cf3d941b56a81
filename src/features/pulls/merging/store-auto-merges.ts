/** The table `auto_merges`: who enabled auto-merge, and with which token. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import { setAutoMerge, type PullRow } from '../store-pulls.ts'

export type AutoMergeRow = {
  readonly pull_id: string
  readonly asked_by: string | null
  readonly token_id: string | null
  readonly updates: number
}

export const findAutoMerge = (db: Db, pull_id: string): AutoMergeRow | null =>
  db.one<AutoMergeRow>(
    'SELECT pull_id, asked_by, token_id, updates FROM auto_merges WHERE pull_id = ?',
    pull_id,
  )

/** Enables auto-merge. */
export function startAutoMerge(
  tx: Tx,
  pull: PullRow,
  by: { asked_by: string; token_id: string | null },
): void {
  setAutoMerge(tx, pull, true)
  tx.db.run(
    'INSERT OR REPLACE INTO auto_merges (pull_id, asked_by, token_id, asked_at) VALUES (?, ?, ?, ?)',
    pull.id,
    by.asked_by,
    by.token_id,
    tx.now,
  )
}

export function endAutoMerge(tx: Tx, pull: PullRow): void {
  setAutoMerge(tx, pull, false)
  tx.db.run('DELETE FROM auto_merges WHERE pull_id = ?', pull.id)
}

/** Counts one more merge of the base into the head. */
export const countUpdate = (tx: Tx, pull_id: string): void =>
  void tx.db.run(
    `INSERT INTO auto_merges (pull_id, asked_by, token_id, updates, asked_at)
      VALUES (?, NULL, NULL, 1, ?) ON CONFLICT (pull_id) DO UPDATE SET updates = updates + 1`,
    pull_id,
    tx.now,
  )

/** Open pull requests with auto-merge, of one repository or of all. */
export const listAutoMerging = (
  db: Db,
  { repo_id, after, limit }: { repo_id: string | null; after: string; limit: number },
): { id: string }[] =>
  db.all(
    `SELECT id FROM pulls WHERE active = 1 AND auto_merge = 1 AND status = 'open'
      AND head_sha IS NOT NULL AND (?1 IS NULL OR repo_id = ?1) AND id > ?2 ORDER BY id LIMIT ?3`,
    repo_id,
    after,
    limit,
  )
