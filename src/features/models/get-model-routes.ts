import { readsWorkspace } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { routesRecord } from './routes.ts'
import { ModelRoutes } from './schema.ts'

export const getModelRoutes = operation({
  name: 'get_model_routes',
  summary:
    'Get which model does which task of a workspace: code, review, plan, summarize, triage, assistant, embed, and default for all others. For its members.',
  keywords: ['which model is used', 'LLM routing', 'model for code review'],
  route: 'GET /workspaces/{workspace}/model-routes',
  toolset: 'integrations',
  access: readsWorkspace({ scope: 'workspace:read' }),
  input: Type.Object({ workspace: WorkspaceSlug }),
  output: ModelRoutes,

  handler: ({ db, workspace }) => routesRecord(db, workspace.id),
})
