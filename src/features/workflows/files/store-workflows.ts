/** The tables `workflows` and `workflow_models`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Oid } from '#git'
import { likePattern } from '#lib/like-pattern.ts'
import type { Timestamp } from '#lib/time.ts'

export type Switched = 'active' | 'disabled' | 'disabled_by_inactivity'

export type WorkflowRow = {
  readonly id: string
  readonly repo_id: string
  readonly path: string
  readonly name: string
  readonly switched: Switched
  readonly blob: Oid | null
  /** JSON arrays. */
  readonly errors: string
  readonly events: string
  readonly runs_count: number
  readonly created_at: Timestamp
  readonly updated_at: Timestamp
}

export const findWorkflow = (db: Db, id: string): WorkflowRow | null =>
  db.one<WorkflowRow>('SELECT * FROM workflows WHERE id = ?', id)

export const findWorkflowByPath = (db: Db, repo_id: string, path: string): WorkflowRow | null =>
  db.one<WorkflowRow>('SELECT * FROM workflows WHERE repo_id = ? AND path = ?', repo_id, path)

/**
 * Those with a file on the default branch, or with runs; by path. With an event: the active ones that
 * name it.
 */
export const listWorkflowRows = (
  db: Db,
  repo_id: string,
  { q, event, limit, offset }: { q: string; event: string | null; limit: number; offset: number },
): WorkflowRow[] =>
  db.all<WorkflowRow>(
    `SELECT * FROM workflows w WHERE repo_id = ?1 AND (blob IS NOT NULL OR runs_count > 0)
       AND (?2 = '' OR path LIKE ?3 ESCAPE '\\' OR name LIKE ?3 ESCAPE '\\')
       AND (?4 IS NULL OR (blob IS NOT NULL AND switched = 'active' AND errors = '[]'
         AND EXISTS (SELECT 1 FROM json_each(w.events) e WHERE e.value = ?4)))
     ORDER BY path LIMIT ?5 OFFSET ?6`,
    repo_id,
    q,
    likePattern(q),
    event,
    limit,
    offset,
  )

/** Whether a repository has a workflow, or had one that ran. */
export const hasWorkflows = ({ db }: { db: Db }, repo_id: string): boolean =>
  db.one(
    'SELECT 1 FROM workflows WHERE repo_id = ? AND (blob IS NOT NULL OR runs_count > 0) LIMIT 1',
    repo_id,
  ) !== null

/** The workflows whose files are on the default branch. */
export const listPresentWorkflows = (db: Db, repo_id: string): WorkflowRow[] =>
  db.all<WorkflowRow>(
    'SELECT * FROM workflows WHERE repo_id = ? AND blob IS NOT NULL ORDER BY path',
    repo_id,
  )

/** Whether an active workflow of the default branch names an event of the dialect. */
export const hasListener = (db: Db, repo_id: string, event: string): boolean =>
  db.one(
    `SELECT 1 FROM workflows w, json_each(w.events) e WHERE w.repo_id = ? AND w.blob IS NOT NULL
       AND w.switched = 'active' AND e.value = ? LIMIT 1`,
    repo_id,
    event,
  ) !== null

export const insertWorkflow = (
  tx: Tx,
  row: Pick<WorkflowRow, 'id' | 'repo_id' | 'path' | 'name'>,
): void =>
  void tx.db.run(
    `INSERT OR IGNORE INTO workflows (id, repo_id, path, name, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
    row.id,
    row.repo_id,
    row.path,
    row.name,
    tx.now,
    tx.now,
  )

/** What the file on the default branch says. */
export const setPresent = (
  tx: Tx,
  id: string,
  file: { name: string; blob: Oid; errors: string; events: string },
): void =>
  void tx.db.run(
    `UPDATE workflows SET name = ?1, blob = ?2, errors = ?3, events = ?4, updated_at = ?5
     WHERE id = ?6 AND (blob IS NOT ?2 OR name <> ?1 OR errors <> ?3 OR events <> ?4)`,
    file.name,
    file.blob,
    file.errors,
    file.events,
    tx.now,
    id,
  )

/** The file is no longer on the default branch. */
export const setAbsent = (tx: Tx, id: string): void =>
  void tx.db.run(
    `UPDATE workflows SET blob = NULL, errors = '[]', updated_at = ? WHERE id = ?`,
    tx.now,
    id,
  )

export const setSwitched = (tx: Tx, id: string, switched: Switched): void =>
  void tx.db.run(
    'UPDATE workflows SET switched = ?, updated_at = ? WHERE id = ?',
    switched,
    tx.now,
    id,
  )

/** The number of the next run of a workflow. */
export function allocateRunNumber(tx: Tx, id: string): number {
  tx.db.run('UPDATE workflows SET runs_count = runs_count + 1 WHERE id = ?', id)
  return findWorkflow(tx.db, id)?.runs_count ?? 1
}

export type ModelRow = {
  readonly repo_id: string
  readonly blob: Oid
  readonly path: string
  readonly format: number
  readonly model: Uint8Array | null
  readonly problems: string
}

export const findModel = (db: Db, repo_id: string, blob: Oid, path: string): ModelRow | null =>
  db.one<ModelRow>(
    'SELECT * FROM workflow_models WHERE repo_id = ? AND blob = ? AND path = ?',
    repo_id,
    blob,
    path,
  )

export const putModel = (tx: Tx, row: ModelRow): void =>
  void tx.db.run(
    `INSERT INTO workflow_models (repo_id, blob, path, format, model, problems, used_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (repo_id, blob, path) DO UPDATE SET format = excluded.format,
       model = excluded.model, problems = excluded.problems, used_at = excluded.used_at`,
    row.repo_id,
    row.blob,
    row.path,
    row.format,
    row.model,
    row.problems,
    tx.now,
  )

/** Deletes models that no workflow and no unfinished run has. They are read from git when needed. */
export const removeUnusedModels = (tx: Tx, before: Timestamp, limit: number): number =>
  tx.db.run(
    `DELETE FROM workflow_models WHERE (repo_id, blob, path) IN (
       SELECT m.repo_id, m.blob, m.path FROM workflow_models m WHERE m.used_at < ?
         AND NOT EXISTS (SELECT 1 FROM workflows w
           WHERE w.repo_id = m.repo_id AND w.path = m.path AND w.blob = m.blob)
         AND NOT EXISTS (SELECT 1 FROM workflow_runs r
           WHERE r.repo_id = m.repo_id AND r.status <> 'completed')
       ORDER BY m.used_at LIMIT ?)`,
    before,
    limit,
  )
