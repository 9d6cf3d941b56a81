import { operation } from '#core/operation.ts'
import { ownerInput } from '#core/owner.ts'
import { Type } from '#core/schema.ts'
import { deliverAgain } from './deliveries.ts'
import {
  DeliveryId,
  HookId,
  hookRoutes,
  requireDelivery,
  requireHook,
  writesHooks,
} from './webhook-owner.ts'
import { deliveryRecord } from './webhook-record.ts'
import { Delivery } from './schema.ts'

export const redeliverWebhook = operation({
  name: 'redeliver_webhook',
  summary:
    'Send what a delivery held once more, as a new delivery of the same event, also while the webhook is paused. The answer is the new delivery.',
  keywords: ['resend a webhook', 'retry a delivery', 'send again'],
  route: hookRoutes('POST', '/{id}/deliveries/{delivery}/redeliver'),
  toolset: 'admin',
  access: writesHooks,
  input: Type.Object({ ...ownerInput, id: HookId, delivery: DeliveryId }),
  output: Delivery,
  status: 202,
  annotations: { openWorld: true },

  handler: ({ repo, workspace, write }, { id, delivery }) =>
    write((tx) => {
      const hook = requireHook(tx.db, { repo, workspace }, id)
      const again = deliverAgain(tx, requireDelivery(tx.db, hook, delivery))
      return deliveryRecord(hook, requireDelivery(tx.db, hook, again), true)
    }),
})
