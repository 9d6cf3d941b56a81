/**
 * Incoming webhooks: events of other services open, update and close issues, and the services are
 * told what becomes of them.
 */
import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import { protocolRoutes } from '#core/protocol-routes.ts'
import { addLocations } from './add-locations.ts'
import * as operations from './operations.ts'
import { incomingRoute } from './receive.ts'
import { sweepIncoming } from './sweep.ts'
import { tellClosed, tellComments, tellReopened } from './updates/follow-issues.ts'
import { sendUpdates } from './updates/send-updates.ts'

export * from './operations.ts'
export * from './schema.ts'
export { findSender } from './senders/senders.ts'
export { canBeTold } from './updates/receivers.ts'

export const feature: Feature = {
  name: 'incoming',
  operations: Object.values(operations),
  reactions: [tellClosed, tellReopened, tellComments],
  jobs: [sweepIncoming, sendUpdates, addLocations] as Job[],
  extensions: [protocolRoutes.with(incomingRoute)],
}
