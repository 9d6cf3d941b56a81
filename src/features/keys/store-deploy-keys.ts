/** The table `deploy_keys`. */
import type { Db, WritableDb } from '#core/db.ts'
import type { Tx } from '#core/write.ts'

export type DeployKeyRow = {
  readonly id: string
  readonly repo_id: string
  readonly title: string
  readonly read_only: 0 | 1
  readonly algorithm: string
  readonly key: string
  readonly fingerprint: string
  readonly created_by: string
  readonly created_at: string
  readonly last_used_at: string | null
}

export const findDeployKey = (db: Db, id: string): DeployKeyRow | null =>
  db.one<DeployKeyRow>('SELECT * FROM deploy_keys WHERE id = ?', id)

export const findDeployKeyByFingerprint = (db: Db, fingerprint: string): DeployKeyRow | null =>
  db.one<DeployKeyRow>('SELECT * FROM deploy_keys WHERE fingerprint = ?', fingerprint)

/** Newest first. */
export const listDeployKeyRows = (db: Db, repo_id: string): DeployKeyRow[] =>
  db.all<DeployKeyRow>('SELECT * FROM deploy_keys WHERE repo_id = ? ORDER BY id DESC', repo_id)

export const insertDeployKey = (tx: Tx, row: Omit<DeployKeyRow, 'last_used_at'>): void =>
  void tx.db.run(
    `INSERT INTO deploy_keys (id, repo_id, title, read_only, algorithm, key, fingerprint,
     created_by, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.repo_id,
    row.title,
    row.read_only,
    row.algorithm,
    row.key,
    row.fingerprint,
    row.created_by,
    row.created_at,
  )

export const removeDeployKeyRow = (tx: Tx, id: string): void =>
  void tx.db.run('DELETE FROM deploy_keys WHERE id = ?', id)

export const setDeployKeyUsed = (db: WritableDb, id: string, now: string): void =>
  void db.run('UPDATE deploy_keys SET last_used_at = ? WHERE id = ?', now, id)
