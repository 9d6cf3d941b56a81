import { readsWorkspace } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { gatewayRecord } from './gateway-record.ts'
import { ModelGateway } from './schema.ts'

export const getModelGateway = operation({
  name: 'get_model_gateway',
  summary:
    'Get whether programs outside may call the models of a workspace with its tokens, at which address, and what they have spent today. For its members.',
  keywords: ['OpenAI base URL', 'Anthropic base URL', 'proxy for models', 'LLM gateway'],
  route: 'GET /workspaces/{workspace}/model-gateway',
  toolset: 'integrations',
  access: readsWorkspace({ scope: 'workspace:read' }),
  input: Type.Object({ workspace: WorkspaceSlug }),
  output: ModelGateway,

  handler: ({ hearth, workspace }) => gatewayRecord(hearth, workspace.id),
})
