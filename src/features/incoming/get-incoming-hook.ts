import { readsWorkspaceAsOwner } from '#features/workspaces/index.ts'
import { operation } from '#core/operation.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { hookRecord, requireHook, requireSender } from './hook-record.ts'
import { IntegrationIdInput } from './inputs.ts'
import { IncomingHook } from './schema.ts'

export const getIncomingHook = operation({
  name: 'get_incoming_hook',
  summary:
    'Get where an integration sends its events and in which repository they become issues; 404 while it receives none. Owners only, people only, because whoever knows the address can send events.',
  keywords: ['webhook address for Sentry', 'Alertmanager receiver', 'incoming webhook'],
  route: 'GET /workspaces/{workspace}/integrations/{id}/incoming',
  toolset: 'integrations',
  access: { ...readsWorkspaceAsOwner({ scope: 'workspace:admin' }), person: true },
  input: Type.Object({ workspace: WorkspaceSlug, id: IntegrationIdInput }),
  output: IncomingHook,

  handler: ({ hearth, db, workspace }, { id }) => {
    const { sender } = requireSender(db, workspace.id, id)
    return hookRecord(hearth, sender, requireHook(db, id))
  },
})
