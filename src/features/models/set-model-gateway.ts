import { writesWorkspaceAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nullable, Type, WorkspaceSlug } from '#core/schema.ts'
import { gatewayRecord } from './gateway-record.ts'
import { ModelGateway } from './schema.ts'
import { setGateway } from './store-gateway.ts'

/** What the audit log shows of a gateway. */
const factsOf = ({ enabled, max_usd_per_day }: ModelGateway) => ({ enabled, max_usd_per_day })

export const setModelGateway = operation({
  name: 'set_model_gateway',
  summary:
    'Let programs outside call the models of a workspace, with tokens that have the scope models:use, or stop them; max_usd_per_day limits them all together. Owners only, people only.',
  keywords: ['allow outside agents', 'model proxy', 'budget a day', 'LLM gateway'],
  route: 'PUT /workspaces/{workspace}/model-gateway',
  toolset: 'integrations',
  access: writesWorkspaceAsPerson('owner', { scope: 'workspace:admin' }),
  input: Type.Object({
    workspace: WorkspaceSlug,
    enabled: Type.Boolean(),
    max_usd_per_day: Type.Optional(
      Nullable(
        Type.Number({
          exclusiveMinimum: 0,
          maximum: 1_000_000,
          description: 'No limit of its own unless given.',
        }),
      ),
    ),
  }),
  output: ModelGateway,
  annotations: { idempotent: true },

  handler: ({ hearth, workspace, write }, { enabled, max_usd_per_day = null }) =>
    write((tx) => {
      const before = gatewayRecord(hearth, workspace.id)
      setGateway(tx, workspace.id, { outside: enabled ? 1 : 0, max_usd_per_day })
      const after = gatewayRecord(hearth, workspace.id)
      tx.audit({
        action: 'model_gateway.changed',
        target: { kind: 'workspace', id: workspace.id, name: workspace.slug },
        workspace_id: workspace.id,
        data: { before: factsOf(before), after: factsOf(after) },
      })
      return after
    }),
})
