/** The tables `site_settings` and `quotas`, and counts of other tables for administrators. */
import type { Db } from '#core/db.ts'
import { workspaceTotals } from '#core/workspace-totals.ts'
import type { Tx } from '#core/write.ts'
import { QUOTA_RESOURCES, type QuotaResource } from '#features/workspaces/index.ts'

export const listSettings = (db: Db): { name: string; value: string }[] =>
  db.all('SELECT name, value FROM site_settings ORDER BY name')

export const putSetting = (tx: Tx, name: string, value: unknown, changed_by: string): void =>
  void tx.db.run(
    `INSERT INTO site_settings (name, value, changed_by, changed_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value, changed_by = excluded.changed_by,
     changed_at = excluded.changed_at`,
    name,
    JSON.stringify(value),
    changed_by,
    tx.now,
  )

export const removeSetting = (tx: Tx, name: string): void =>
  void tx.db.run('DELETE FROM site_settings WHERE name = ?', name)

export type QuotaRow = Readonly<Record<QuotaResource, number | null>> & {
  readonly updated_at: string
}

export const putQuota = (
  tx: Tx,
  workspace_id: string,
  limits: Readonly<Record<QuotaResource, number | null>>,
): void =>
  void tx.db.run(
    `INSERT INTO quotas (workspace_id, ${QUOTA_RESOURCES.join(', ')}, updated_at)
     VALUES (?, ${QUOTA_RESOURCES.map(() => '?').join(', ')}, ?)
     ON CONFLICT (workspace_id) DO UPDATE
     SET ${QUOTA_RESOURCES.map((name) => `${name} = excluded.${name}`).join(', ')},
     updated_at = excluded.updated_at`,
    workspace_id,
    ...QUOTA_RESOURCES.map((name) => limits[name]),
    tx.now,
  )

/** The quotas of workspaces that have any. */
export const listQuotas = (
  db: Db,
  workspace_ids: readonly string[],
): ReadonlyMap<string, QuotaRow> =>
  new Map(
    db
      .all<QuotaRow & { readonly workspace_id: string }>(
        `SELECT workspace_id, ${QUOTA_RESOURCES.join(', ')}, updated_at FROM quotas
         WHERE workspace_id IN (SELECT value FROM json_each(?))`,
        JSON.stringify(workspace_ids),
      )
      .map((row) => [row.workspace_id, row]),
  )

export const findQuota = (db: Db, workspace_id: string): QuotaRow | null =>
  listQuotas(db, [workspace_id]).get(workspace_id) ?? null

/**
 * Forks of pull requests share the objects of their parent, whose size includes them. Private forks
 * have objects of their own.
 */
export const countReposBytes = (
  db: Db,
  workspace_ids: readonly string[],
): ReadonlyMap<string, number> =>
  workspaceTotals(
    db,
    `SELECT w.value AS workspace_id,
       (SELECT coalesce(sum(size_in_bytes), 0) FROM repos
         WHERE workspace_id = w.value AND parent_id IS NULL)
       + (SELECT coalesce(sum(size_in_bytes), 0) FROM private_stores WHERE repo_id IN
         (SELECT id FROM repos WHERE workspace_id = w.value AND parent_id IS NULL)) AS total
     FROM json_each(?) w`,
    workspace_ids,
  )

export const countRepositories = (
  db: Db,
  workspace_ids: readonly string[],
): ReadonlyMap<string, number> =>
  workspaceTotals(
    db,
    `SELECT workspace_id, count(*) AS total FROM repos
     WHERE workspace_id IN (SELECT value FROM json_each(?)) AND parent_id IS NULL
     AND deleted_at IS NULL GROUP BY workspace_id`,
    workspace_ids,
  )

export const countMembers = (
  db: Db,
  workspace_ids: readonly string[],
): ReadonlyMap<string, number> =>
  workspaceTotals(
    db,
    `SELECT workspace_id, count(*) AS total FROM members
     WHERE workspace_id IN (SELECT value FROM json_each(?)) GROUP BY workspace_id`,
    workspace_ids,
  )

const MATCHES = `FROM workspaces w JOIN actors a ON a.id = w.id WHERE ?1 IS NULL
  OR instr(a.username, ?1) > 0 OR instr(lower(coalesce(a.name, '')), ?1) > 0`

/** Newest first. */
export const listWorkspaceRows = (
  db: Db,
  q: string | null,
  window: { limit: number; offset: number },
): { id: string; slug: string; name: string; created_at: string }[] =>
  db.all(
    `SELECT w.id, a.username AS slug, coalesce(a.name, a.username) AS name,
     w.created_at ${MATCHES} ORDER BY w.id DESC LIMIT ?2 OFFSET ?3`,
    q,
    window.limit,
    window.offset,
  )

export const countWorkspaceRows = (db: Db, q: string | null): number =>
  (q === null
    ? db.one<{ count: number }>('SELECT count(*) AS count FROM workspaces')
    : db.one<{ count: number }>(`SELECT count(*) AS count ${MATCHES}`, q)
  )?.count ?? 0

export const countAll = (db: Db): { users: number; workspaces: number; repositories: number } =>
  db.one(
    `SELECT (SELECT count(*) FROM users) AS users, (SELECT count(*) FROM workspaces) AS workspaces,
       (SELECT count(*) FROM repos WHERE parent_id IS NULL AND deleted_at IS NULL) AS repositories`,
  ) ?? { users: 0, workspaces: 0, repositories: 0 }

export const lastMigration = (db: Db): string | null =>
  db.one<{ name: string }>('SELECT name FROM migrations ORDER BY name DESC LIMIT 1')?.name ?? null
