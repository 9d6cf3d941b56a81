import { writesWorkspace } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation } from '#core/operation.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { IntegrationId } from './inputs.ts'
import { requireIntegration } from './integration-record.ts'
import { modelSpeed } from './extension-points.ts'
import { ConnectionTest, type ModelSpeed } from './schema.ts'
import { findIntegration, setChecked, setSpeed, type IntegrationRow } from './store.ts'
import { testConnection } from './test-connection.ts'

export const testIntegration = operation({
  name: 'test_integration',
  summary:
    'Test whether an integration answers and takes its secret. Owners only. Answers ok, how long it took, and what went wrong; of a model provider also how fast a model writes, by a short answer that is billed.',
  keywords: ['check a connection', 'does the API key work', 'health of a provider'],
  route: 'POST /workspaces/{workspace}/integrations/{id}/test',
  toolset: 'integrations',
  access: writesWorkspace('owner', { scope: 'workspace:admin' }),
  input: Type.Object({ workspace: WorkspaceSlug, id: IntegrationId }),
  output: ConnectionTest,
  annotations: { idempotent: true, openWorld: true },

  handler: async ({ hearth, db, workspace, caller, write }, { id }) => {
    const row = requireIntegration(db, workspace.id, id)
    const { models, ...test } = await testConnection(hearth, row)
    const speed = test.ok ? await measureSpeed(hearth, row, caller.id) : null
    await write((tx) => {
      // Another secret or address may have been saved meanwhile.
      if (findIntegration(tx.db, id)?.updated_at !== row.updated_at) return
      setChecked(tx, id, test.error, models)
      if (test.ok) setSpeed(tx, id, speed)
    })
    return { ...test, speed }
  },
})

async function measureSpeed(
  hearth: Hearth,
  row: IntegrationRow,
  actor_id: string,
): Promise<ModelSpeed | null> {
  if (row.kind !== 'model_provider') return null
  const [measure] = modelSpeed.all(hearth)
  return (await measure?.(hearth, row, actor_id)) ?? null
}
