/** The table `model_routes`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import { MODEL_TASKS, type ModelTask } from './schema.ts'

export type RouteRow = {
  readonly workspace_id: string
  readonly task: ModelTask
  readonly integration_id: string
  readonly model: string
  readonly max_output_tokens: number | null
  readonly temperature: number | null
  readonly max_usd: number | null
  /** JSON. */
  readonly fallback: string
}

/** In the order of `MODEL_TASKS`. */
export const listRoutes = (db: Db, workspace_id: string): RouteRow[] =>
  db
    .all<RouteRow>('SELECT * FROM model_routes WHERE workspace_id = ?', workspace_id)
    .sort((a, b) => MODEL_TASKS.indexOf(a.task) - MODEL_TASKS.indexOf(b.task))

/** The route of a task, else the one called default; null without both. */
export const findRoute = (db: Db, workspace_id: string, task: ModelTask): RouteRow | null =>
  db.one<RouteRow>(
    `SELECT * FROM model_routes WHERE workspace_id = ? AND task IN (?2, 'default')
     ORDER BY task = ?2 DESC LIMIT 1`,
    workspace_id,
    task,
  )

/** Replaces all routes of a workspace. */
export function setRoutes(tx: Tx, workspace_id: string, rows: readonly RouteRow[]): void {
  tx.db.run('DELETE FROM model_routes WHERE workspace_id = ?', workspace_id)
  for (const row of rows)
    tx.db.run(
      `INSERT INTO model_routes (workspace_id, task, integration_id, model, max_output_tokens,
       temperature, max_usd, fallback) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      workspace_id,
      row.task,
      row.integration_id,
      row.model,
      row.max_output_tokens,
      row.temperature,
      row.max_usd,
      row.fallback,
    )
}
