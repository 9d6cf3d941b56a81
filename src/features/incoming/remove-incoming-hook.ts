import { writesWorkspaceAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, Type, WorkspaceSlug } from '#core/schema.ts'
import { auditIntegration } from '#features/integrations/index.ts'
import { requireHook, requireSender } from './hook-record.ts'
import { IntegrationIdInput } from './inputs.ts'
import { removeHook } from './store.ts'

export const removeIncomingHook = operation({
  name: 'remove_incoming_hook',
  summary:
    'Receive no more events of an integration: its address ends. Issues stay. Owners only, people only. The answer is empty.',
  keywords: ['stop alerts', 'delete an incoming webhook'],
  route: 'DELETE /workspaces/{workspace}/integrations/{id}/incoming',
  toolset: 'integrations',
  access: writesWorkspaceAsPerson('owner', { scope: 'workspace:admin' }),
  input: Type.Object({ workspace: WorkspaceSlug, id: IntegrationIdInput }),
  output: Nothing,
  status: 204,
  annotations: { destructive: true },

  handler: ({ workspace, write }, { id }) =>
    write((tx) => {
      const { integration } = requireSender(tx.db, workspace.id, id)
      requireHook(tx.db, id)
      removeHook(tx, id)
      auditIntegration(tx, 'integration.incoming_removed', integration, {})
      return null
    }),
})
