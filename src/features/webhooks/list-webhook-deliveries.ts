import { operation } from '#core/operation.ts'
import { ownerInput } from '#core/owner.ts'
import { beforeOf, byBefore, keyPageOf } from '#core/page.ts'
import { Type } from '#core/schema.ts'
import { HookId, hookRoutes, readsHooks, requireHook } from './webhook-owner.ts'
import { deliveryRecord, untrustedPointers } from './webhook-record.ts'
import { Deliveries, DeliveryStateWord } from './schema.ts'
import { listDeliveryRows } from './store-deliveries.ts'

export const listWebhookDeliveries = operation({
  name: 'list_webhook_deliveries',
  summary:
    'List what a webhook was sent in the last 14 days, newest first: the event, the state, the last try with request and answer, and when the next try is. Go back with before.',
  keywords: [
    'did a webhook arrive',
    'why was a webhook not delivered',
    'failed webhooks',
    'webhook history',
    'webhook errors',
  ],
  route: hookRoutes('GET', '/{id}/deliveries'),
  toolset: 'admin',
  access: readsHooks,
  input: Type.Object({
    ...ownerInput,
    id: HookId,
    ...byBefore(),
    state: Type.Optional(DeliveryStateWord),
  }),
  output: Deliveries,
  list: 'before',
  untrusted: ({ items }) =>
    items.flatMap((delivery, index) => untrustedPointers(delivery, `/items/${index}`)),

  handler: ({ db, repo, workspace }, { id, state, ...paging }) => {
    const hook = requireHook(db, { repo, workspace }, id)
    const { before, limit } = beforeOf(paging, 'dlv')
    const rows = listDeliveryRows(db, {
      hook_id: hook.id,
      state: state ?? null,
      before,
      limit: limit + 1,
    })
    return keyPageOf(
      rows.map((row) => deliveryRecord(hook, row, false)),
      limit,
      (delivery) => delivery.id,
    )
  },
})
