/** The tables `projects` and `project_repos`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Timestamp } from '#lib/time.ts'

export type ProjectRow = {
  id: string
  workspace_id: string
  slug: string
  name: string
  description: string
  created_by: string
  created_at: Timestamp
  updated_at: Timestamp
}

export const findProject = (db: Db, workspace_id: string, slug: string): ProjectRow | null =>
  db.one<ProjectRow>(
    'SELECT * FROM projects WHERE workspace_id = ? AND slug = ?',
    workspace_id,
    slug,
  )

/** Newest first. With `repo_id` only those that have the repository. */
export const listProjectRows = (
  db: Db,
  workspace_id: string,
  window: { limit: number; offset: number },
  repo_id: string | null = null,
): ProjectRow[] =>
  db.all<ProjectRow>(
    `SELECT * FROM projects p WHERE workspace_id = ?1 AND (?2 IS NULL OR EXISTS (
       SELECT 1 FROM project_repos r WHERE r.project_id = p.id AND r.repo_id = ?2))
     ORDER BY id DESC LIMIT ?3 OFFSET ?4`,
    workspace_id,
    repo_id,
    window.limit,
    window.offset,
  )

export const insertProject = (tx: Tx, row: Omit<ProjectRow, 'created_at' | 'updated_at'>): void =>
  void tx.db.run(
    `INSERT INTO projects (id, workspace_id, slug, name, description, created_by, created_at,
     updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.workspace_id,
    row.slug,
    row.name,
    row.description,
    row.created_by,
    tx.now,
    tx.now,
  )

export const setProject = (
  tx: Tx,
  id: string,
  change: { name?: string; description?: string },
): void =>
  void tx.db.run(
    `UPDATE projects
     SET name = coalesce(?, name), description = coalesce(?, description), updated_at = ?
     WHERE id = ?`,
    change.name ?? null,
    change.description ?? null,
    tx.now,
    id,
  )

export const removeProject = (tx: Tx, id: string): void =>
  void tx.db.run('DELETE FROM projects WHERE id = ?', id)

/**
 * The repositories of a project that are not deleted and still belong to its workspace, by name.
 */
export const listProjectRepos = (
  db: Db,
  project_id: string,
): { repo_id: string; full_name: string }[] =>
  db.all(
    `SELECT r.id AS repo_id, a.username || '/' || r.name AS full_name FROM project_repos x
     JOIN projects p ON p.id = x.project_id
     JOIN repos r ON r.id = x.repo_id AND r.workspace_id = p.workspace_id
     JOIN actors a ON a.id = r.workspace_id
     WHERE x.project_id = ? AND r.deleted_at IS NULL ORDER BY r.name`,
    project_id,
  )

export const addProjectRepo = (tx: Tx, project_id: string, repo_id: string): void =>
  void tx.db.run(
    'INSERT OR IGNORE INTO project_repos (project_id, repo_id) VALUES (?, ?)',
    project_id,
    repo_id,
  )

export const removeProjectRepo = (tx: Tx, project_id: string, repo_id: string): void =>
  void tx.db.run(
    'DELETE FROM project_repos WHERE project_id = ? AND repo_id = ?',
    project_id,
    repo_id,
  )
