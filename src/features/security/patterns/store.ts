/** The table `secret_patterns`. */
import type { Db } from '#core/db.ts'
import type { Owner } from '#core/owner.ts'
import type { Tx } from '#core/write.ts'
import type { Timestamp } from '#lib/time.ts'

export type PatternRow = {
  readonly id: string
  readonly workspace_id: string | null
  readonly repo_id: string | null
  readonly name: string
  readonly pattern: string
  readonly enabled: 0 | 1
  readonly push_protection: 0 | 1
  /** JSON. */
  readonly test: string | null
  readonly created_by: string | null
  readonly created_at: Timestamp
  readonly updated_at: Timestamp
}

const OF_OWNER = '(repo_id = ?1 OR workspace_id = ?2)'

export const findPattern = (db: Db, id: string): PatternRow | null =>
  db.one<PatternRow>('SELECT * FROM secret_patterns WHERE id = ?', id)

/** By name. */
export const listPatternRows = (
  db: Db,
  owner: Owner,
  window: { limit: number; offset: number },
): PatternRow[] =>
  db.all<PatternRow>(
    `SELECT * FROM secret_patterns WHERE ${OF_OWNER} ORDER BY name, id LIMIT ?3 OFFSET ?4`,
    owner.repo_id,
    owner.workspace_id,
    window.limit + 1,
    window.offset,
  )

export const countPatterns = (db: Db, owner: Owner): number =>
  db.one<{ count: number }>(
    `SELECT count(*) AS count FROM secret_patterns WHERE ${OF_OWNER}`,
    owner.repo_id,
    owner.workspace_id,
  )?.count ?? 0

/** Those that are looked for in a repository: its own and those of its workspace. */
export const listEnabledPatterns = (
  db: Db,
  repo: { readonly id: string; readonly workspace_id: string },
): PatternRow[] =>
  db.all<PatternRow>(
    `SELECT * FROM secret_patterns WHERE ${OF_OWNER} AND enabled = 1 ORDER BY id`,
    repo.id,
    repo.workspace_id,
  )

export const isPatternNameTaken = (db: Db, owner: Owner, name: string, except: string): boolean =>
  db.one(
    `SELECT 1 FROM secret_patterns WHERE ${OF_OWNER} AND name = ?3 AND id <> ?4`,
    owner.repo_id,
    owner.workspace_id,
    name,
    except,
  ) !== null

type Content = Pick<PatternRow, 'name' | 'pattern' | 'enabled' | 'push_protection'>

export const insertPattern = (
  tx: Tx,
  row: Content & Owner & { readonly id: string; readonly created_by: string },
): void =>
  void tx.db.run(
    `INSERT INTO secret_patterns (id, workspace_id, repo_id, name, pattern, enabled,
       push_protection, created_by, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.workspace_id,
    row.repo_id,
    row.name,
    row.pattern,
    row.enabled,
    row.push_protection,
    row.created_by,
    tx.now,
    tx.now,
  )

export const setPattern = (tx: Tx, id: string, row: Content & Pick<PatternRow, 'test'>): void =>
  void tx.db.run(
    `UPDATE secret_patterns SET name = ?, pattern = ?, enabled = ?, push_protection = ?, test = ?,
       updated_at = ? WHERE id = ?`,
    row.name,
    row.pattern,
    row.enabled,
    row.push_protection,
    row.test,
    tx.now,
    id,
  )

export const setPatternTest = (tx: Tx, id: string, test: string): void =>
  void tx.db.run('UPDATE secret_patterns SET test = ? WHERE id = ?', test, id)

export const removePattern = (tx: Tx, id: string): void =>
  void tx.db.run('DELETE FROM secret_patterns WHERE id = ?', id)
