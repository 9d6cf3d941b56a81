import type { Db, SqlValue } from './db.ts'

/**
 * The `total` of each `workspace_id` in the rows of a query. Its first parameter is the list of ids,
 * in JSON.
 */
export const workspaceTotals = (
  db: Db,
  sql: string,
  workspace_ids: readonly string[],
  ...params: SqlValue[]
): ReadonlyMap<string, number> =>
  new Map(
    db
      .all<{ workspace_id: string; total: number }>(sql, JSON.stringify(workspace_ids), ...params)
      .map(({ workspace_id, total }) => [workspace_id, total]),
  )
