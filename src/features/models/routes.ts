/** Model routes: records, and the route of a task. */
import type { Db } from '#core/db.ts'
import { handler } from '#core/events.ts'
import type { Tx } from '#core/write.ts'
import { integrationRemoved } from '#features/integrations/index.ts'
import { workspaceById } from '#features/workspaces/index.ts'
import { conflict } from '#lib/errors.ts'
import type { ModelRoute, ModelRoutes, ModelTask } from './schema.ts'
import { findRoute, listRoutes, setRoutes, type RouteRow } from './store-routes.ts'

type Fallbacks = ModelRoute['fallback']

export const fallbacksOf = (row: RouteRow): Fallbacks => JSON.parse(row.fallback) as Fallbacks

const routeRecord = (row: RouteRow): ModelRoute => ({
  task: row.task,
  integration: row.integration_id,
  model: row.model,
  max_output_tokens: row.max_output_tokens,
  temperature: row.temperature,
  max_usd: row.max_usd,
  fallback: fallbacksOf(row),
})

export const routesRecord = (db: Db, workspace_id: string): ModelRoutes => ({
  routes: listRoutes(db, workspace_id).map(routeRecord),
})

/** Throws 409 `model_not_configured` when neither the task nor the default has a route. */
export function requireRoute(db: Db, workspace_id: string, task: ModelTask): RouteRow {
  const route = findRoute(db, workspace_id, task)
  if (route === null) {
    const slug = workspaceById(db, workspace_id)?.slug ?? 'the workspace'
    throw conflict(
      'model_not_configured',
      `no model is set for ${task} in ${slug}; an owner chooses one under Settings, Models`,
      { task },
    )
  }
  return route
}

export const auditRoutes = (
  tx: Tx,
  workspace: { id: string; slug: string },
  data: Record<string, unknown>,
): void =>
  tx.audit({
    action: 'model_routes.changed',
    target: { kind: 'workspace', id: workspace.id, name: workspace.slug },
    workspace_id: workspace.id,
    data,
  })

/** Removes an integration from all routes. A route without a model goes on with its first fallback. */
export const forgetIntegration = handler(
  'model routes end with their integrations',
  integrationRemoved,
  (tx, { id, workspace_id }) => {
    const before = listRoutes(tx.db, workspace_id)
    const after = before.flatMap((row) => {
      const fallbacks = fallbacksOf(row).filter(({ integration }) => integration !== id)
      if (row.integration_id !== id) return [{ ...row, fallback: JSON.stringify(fallbacks) }]
      const [next, ...rest] = fallbacks
      if (!next) return []
      return [
        {
          ...row,
          integration_id: next.integration,
          model: next.model,
          fallback: JSON.stringify(rest),
        },
      ]
    })
    if (JSON.stringify(after) === JSON.stringify(before)) return
    setRoutes(tx, workspace_id, after)
    const slug = workspaceById(tx.db, workspace_id)?.slug ?? ''
    auditRoutes(
      tx,
      { id: workspace_id, slug },
      {
        before: before.map(routeRecord),
        after: after.map(routeRecord),
      },
    )
  },
)
