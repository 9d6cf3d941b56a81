import { writesWorkspaceAsPerson } from '#core/access.ts'
import type { Db } from '#core/db.ts'
import { operation } from '#core/operation.ts'
import { Nullable, OneOf, Type, WorkspaceSlug, type Static } from '#core/schema.ts'
import {
  configOf,
  findIntegration,
  type ModelProviderConfig,
} from '#features/integrations/index.ts'
import { invalid } from '#lib/errors.ts'
import { auditRoutes, routesRecord } from './routes.ts'
import { Fallback, MODEL_TASKS, ModelRoutes } from './schema.ts'
import { setRoutes } from './store-routes.ts'

const NewRoute = Type.Object({
  task: OneOf(MODEL_TASKS, {
    description: 'triage is for programs outside: nothing in the forge uses it.',
  }),
  integration: Type.String({ maxLength: 100, description: 'The id of a model provider.' }),
  model: Type.String({ minLength: 1, maxLength: 200, description: 'One of its models.' }),
  max_output_tokens: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 10_000_000 }))),
  temperature: Type.Optional(Nullable(Type.Number({ minimum: 0, maximum: 2 }))),
  max_usd: Type.Optional(
    Nullable(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 1_000_000,
        description: 'The most that one run of the task may cost.',
      }),
    ),
  ),
  fallback: Type.Optional(Type.Array(Fallback, { maxItems: 5 })),
})
type NewRoute = Static<typeof NewRoute>

export const setModelRoutes = operation({
  name: 'set_model_routes',
  summary:
    'Replace which model does which task of a workspace; one route a task, and an empty list clears them all. Owners only, people only. Answers all routes.',
  keywords: ['choose a model', 'switch models', 'default model', 'fallback model'],
  route: 'PUT /workspaces/{workspace}/model-routes',
  toolset: 'integrations',
  access: writesWorkspaceAsPerson('owner', { scope: 'workspace:admin' }),
  input: Type.Object({
    workspace: WorkspaceSlug,
    routes: Type.Array(NewRoute, { maxItems: MODEL_TASKS.length }),
  }),
  output: ModelRoutes,
  annotations: { idempotent: true },

  handler: ({ workspace, write }, { routes }) =>
    write((tx) => {
      routes.forEach((route, index) => {
        const at = `routes[${index}]`
        if (routes.findIndex(({ task }) => task === route.task) < index)
          throw invalid(`${at}.task`, `the task ${route.task} has two routes; give it one`)
        requireModel(tx.db, workspace.id, route, at)
        route.fallback?.forEach((next, order) =>
          requireModel(tx.db, workspace.id, next, `${at}.fallback[${order}]`),
        )
      })
      const before = routesRecord(tx.db, workspace.id)
      setRoutes(
        tx,
        workspace.id,
        routes.map((route) => rowOf(workspace.id, route)),
      )
      const after = routesRecord(tx.db, workspace.id)
      auditRoutes(tx, workspace, { before: before.routes, after: after.routes })
      return after
    }),
})

const rowOf = (workspace_id: string, route: NewRoute) => ({
  workspace_id,
  task: route.task,
  integration_id: route.integration,
  model: route.model,
  max_output_tokens: route.max_output_tokens ?? null,
  temperature: route.temperature ?? null,
  max_usd: route.max_usd ?? null,
  fallback: JSON.stringify(route.fallback ?? []),
})

/** Throws 422 for an unknown integration, one that is no model provider, and an unknown model. */
function requireModel(
  db: Db,
  workspace_id: string,
  { integration, model }: { integration: string; model: string },
  at: string,
): void {
  const row = findIntegration(db, integration)
  if (row?.workspace_id !== workspace_id)
    throw invalid(
      `${at}.integration`,
      `there is no integration ${integration}; list_integrations names them`,
    )
  if (row.kind !== 'model_provider')
    throw invalid(`${at}.integration`, `${row.name} is a ${row.kind}, not a model_provider`)
  const { models = [] } = configOf(row) as ModelProviderConfig
  if (models.length > 0 && !models.some(({ id }) => id === model))
    throw invalid(
      `${at}.model`,
      `${row.name} has no model ${JSON.stringify(model)}; it has ${models.map(({ id }) => id).join(', ')}`.slice(
        0,
        500,
      ),
    )
}
