import { writesWorkspaceAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, Type, WorkspaceSlug } from '#core/schema.ts'
import { integrationRemoved } from './events.ts'
import { IntegrationId } from './inputs.ts'
import { auditedFacts, auditIntegration, requireIntegration } from './integration-record.ts'
import { removeIntegration } from './store.ts'

export const disconnectIntegration = operation({
  name: 'disconnect_integration',
  summary:
    'Disconnect an integration: its secret is deleted, and model routes that name it end. Owners only, people only. The answer is empty.',
  keywords: ['remove a provider', 'delete an API key', 'disconnect Jira'],
  route: 'DELETE /workspaces/{workspace}/integrations/{id}',
  toolset: 'integrations',
  access: writesWorkspaceAsPerson('owner', { scope: 'workspace:admin' }),
  input: Type.Object({ workspace: WorkspaceSlug, id: IntegrationId }),
  output: Nothing,
  status: 204,
  annotations: { destructive: true },

  handler: ({ workspace, write }, { id }) =>
    write((tx) => {
      const row = requireIntegration(tx.db, workspace.id, id)
      tx.emit(integrationRemoved, { id, workspace_id: workspace.id })
      removeIntegration(tx, id)
      auditIntegration(tx, 'integration.disconnected', row, { before: auditedFacts(row) })
      return null
    }),
})
