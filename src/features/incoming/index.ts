/** Incoming webhooks: events of other services open, update and close issues. */
import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import { protocolRoutes } from '#core/protocol-routes.ts'
import * as operations from './operations.ts'
import { incomingRoute } from './receive.ts'
import { sweepIncoming } from './sweep.ts'

export * from './operations.ts'
export * from './schema.ts'
export { findSender } from './senders/senders.ts'

export const feature: Feature = {
  name: 'incoming',
  operations: Object.values(operations),
  jobs: [sweepIncoming] as Job[],
  extensions: [protocolRoutes.with(incomingRoute)],
}
