/** Webhooks: events of a repository or workspace, sent to a URL. */
import type { Feature } from '#core/hearth.ts'
import { gauges } from '#core/gauges.ts'
import type { Job } from '#core/jobs.ts'
import { ping } from './events.ts'
import { followEvents } from './follow-events.ts'
import { sendDeliveries } from './send-deliveries.ts'
import { countDue } from './store-deliveries.ts'
import { sweepWebhooks } from './sweep.ts'
import * as operations from './operations.ts'

export * from './operations.ts'
export * from './schema.ts'

export const feature: Feature = {
  name: 'webhooks',
  operations: Object.values(operations),
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
