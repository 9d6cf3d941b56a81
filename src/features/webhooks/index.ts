/** Webhooks: what happens in a repository or workspace, sent to an address as it happens. */
import type { Feature } from '#core/hearth.ts'
import { gauges } from '#core/gauges.ts'
import type { Job } from '#core/jobs.ts'
import { createWebhook } from './create-webhook.ts'
import { deleteWebhook } from './delete-webhook.ts'
import { ping } from './events.ts'
import { followEvents } from './follow-events.ts'
import { getWebhook } from './get-webhook.ts'
import { getWebhookDelivery } from './get-webhook-delivery.ts'
import { listWebhookDeliveries } from './list-webhook-deliveries.ts'
import { listWebhooks } from './list-webhooks.ts'
import { pingWebhook } from './ping-webhook.ts'
import { redeliverWebhook } from './redeliver-webhook.ts'
import { sendDeliveries } from './send-deliveries.ts'
import { countDue } from './store-deliveries.ts'
import { sweepWebhooks } from './sweep.ts'
import { updateWebhook } from './update-webhook.ts'

export * from './schema.ts'
export {
  createWebhook,
  deleteWebhook,
  getWebhook,
  getWebhookDelivery,
  listWebhookDeliveries,
  listWebhooks,
  pingWebhook,
  redeliverWebhook,
  updateWebhook,
}

export const feature: Feature = {
  name: 'webhooks',
  operations: [
    listWebhooks,
    createWebhook,
    getWebhook,
    updateWebhook,
    deleteWebhook,
    pingWebhook,
    listWebhookDeliveries,
    getWebhookDelivery,
    redeliverWebhook,
  ],
  events: [ping],
  reactions: [followEvents],
  jobs: [sendDeliveries, sweepWebhooks] as Job[],
  extensions: [
    gauges.with({
      name: 'webhook_deliveries_waiting',
      help: 'Deliveries of webhooks that are still to be sent.',
      read: ({ db }) => countDue(db),
    }),
  ],
}
