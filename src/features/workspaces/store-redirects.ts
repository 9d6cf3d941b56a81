/** The table `workspace_redirects`: former slugs of workspaces. */
import type { Db, WritableDb } from '#core/db.ts'
import { workspaceById, type WorkspaceRow } from './store.ts'

/** The workspace that had this slug before. Callers check first that nobody has the slug now. */
export function formerWorkspace(db: Db, slug: string): WorkspaceRow | null {
  const row = db.one<{ workspace_id: string }>(
    'SELECT workspace_id FROM workspace_redirects WHERE slug = ?',
    slug.toLowerCase(),
  )
  return row && workspaceById(db, row.workspace_id)
}

export function recordFormerSlug(
  db: WritableDb,
  workspace_id: string,
  change: { from: string; to: string },
): void {
  db.run('DELETE FROM workspace_redirects WHERE slug = ?', change.to)
  db.run(
    `INSERT INTO workspace_redirects (slug, workspace_id) VALUES (?, ?) ON CONFLICT (slug)
     DO UPDATE SET workspace_id = excluded.workspace_id`,
    change.from,
    workspace_id,
  )
}
