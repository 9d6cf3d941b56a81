import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import {
  DeliveryId,
  HookId,
  hookRoutes,
  place,
  readsHooks,
  requireDelivery,
  requireHook,
} from './owner.ts'
import { deliveryRecord, writtenOutside } from './record.ts'
import { Delivery } from './schema.ts'

export const getWebhookDelivery = operation({
  name: 'get_webhook_delivery',
  summary:
    'Read one delivery of a webhook with the whole request of its last try and the answer to it, to 64 KiB.',
  route: hookRoutes('GET', '/{id}/deliveries/{delivery}'),
  toolset: 'admin',
  access: readsHooks,
  input: Type.Object({ ...place, id: HookId, delivery: DeliveryId }),
  output: Delivery,
  untrusted: (delivery) => writtenOutside(delivery),

  handler: ({ db, repo, workspace }, { id, delivery }) => {
    const hook = requireHook(db, { repo, workspace }, id)
    return deliveryRecord(hook, requireDelivery(db, hook, delivery), true)
  },
})
