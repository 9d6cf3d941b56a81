import { readsWorkspaceAsOwner } from '#features/workspaces/index.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { requireHook, requireSender } from './hook-record.ts'
import { IntegrationIdInput } from './inputs.ts'
import { IncomingDeliveries } from './schema.ts'
import { countDeliveries, listDeliveries } from './store.ts'

export const listIncomingDeliveries = operation({
  name: 'list_incoming_deliveries',
  summary:
    'List the events that an integration sent, newest first: which issues each opened or closed, or why it was refused. Kept for 30 days. Owners only, people only.',
  keywords: ['why did no issue open', 'webhook errors', 'received alerts'],
  route: 'GET /workspaces/{workspace}/integrations/{id}/incoming/deliveries',
  toolset: 'integrations',
  access: { ...readsWorkspaceAsOwner({ scope: 'workspace:admin' }), person: true },
  input: Type.Object({ workspace: WorkspaceSlug, id: IntegrationIdInput, ...byPage() }),
  output: IncomingDeliveries,
  list: 'page',

  handler: ({ db, workspace }, { id, ...paging }) => {
    requireSender(db, workspace.id, id)
    requireHook(db, id)
    const window = windowOf(paging)
    const rows = listDeliveries(db, id, { limit: window.limit + 1, offset: window.offset })
    const items = rows.map(({ event, state, message, issues, size, received_at }) => ({
      event,
      state,
      message,
      issues: JSON.parse(issues) as number[],
      size,
      received_at,
    }))
    return pageOf(items, window, countDeliveries(db, id))
  },
})
