import { operation } from '#core/operation.ts'
import { ownerInput } from '#core/owner.ts'
import { Type } from '#core/schema.ts'
import {
  DeliveryId,
  HookId,
  hookRoutes,
  readsHooks,
  requireDelivery,
  requireHook,
} from './webhook-owner.ts'
import { deliveryRecord, untrustedPointers } from './webhook-record.ts'
import { Delivery } from './schema.ts'

export const getWebhookDelivery = operation({
  name: 'get_webhook_delivery',
  summary:
    'Read one delivery of a webhook with the whole request of its last try and the answer to it, to 64 KiB.',
  keywords: ['one webhook request', 'webhook response', 'payload that was sent'],
  route: hookRoutes('GET', '/{id}/deliveries/{delivery}'),
  toolset: 'admin',
  access: readsHooks,
  input: Type.Object({ ...ownerInput, id: HookId, delivery: DeliveryId }),
  output: Delivery,
  untrusted: (delivery) => untrustedPointers(delivery),

  handler: ({ db, repo, workspace }, { id, delivery }) => {
    const hook = requireHook(db, { repo, workspace }, id)
    return deliveryRecord(hook, requireDelivery(db, hook, delivery), true)
  },
})
