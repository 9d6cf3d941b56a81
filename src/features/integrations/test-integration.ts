import { writesWorkspace } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { IntegrationId } from './inputs.ts'
import { requireIntegration } from './integration-record.ts'
import { ConnectionTest } from './schema.ts'
import { findIntegration, setChecked } from './store.ts'
import { testConnection } from './test-connection.ts'

export const testIntegration = operation({
  name: 'test_integration',
  summary:
    'Test whether an integration answers and takes its secret. Owners only. Answers ok, how long it took, and what went wrong.',
  keywords: ['check a connection', 'does the API key work', 'health of a provider'],
  route: 'POST /workspaces/{workspace}/integrations/{id}/test',
  toolset: 'integrations',
  access: writesWorkspace('owner', { scope: 'workspace:admin' }),
  input: Type.Object({ workspace: WorkspaceSlug, id: IntegrationId }),
  output: ConnectionTest,
  annotations: { idempotent: true, openWorld: true },

  handler: async ({ hearth, db, workspace, write }, { id }) => {
    const row = requireIntegration(db, workspace.id, id)
    const { models, ...test } = await testConnection(hearth, row)
    await write((tx) => {
      // Another secret or address may have been saved meanwhile.
      if (findIntegration(tx.db, id)?.updated_at === row.updated_at)
        setChecked(tx, id, test.error, models)
    })
    return test
  },
})
