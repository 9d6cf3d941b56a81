import type { Feature } from '#core/hearth.ts'
import { accessEnded } from '#features/accounts/index.ts'
import { handler } from '#core/events.ts'
import { removeApprovedDevices } from './store.ts'
import { sweepDevices } from './sweep.ts'
import * as operations from './operations.ts'

export * from './operations.ts'

/** A device that was approved before a password reset gets no token after it. */
const forgetApprovals = handler('devices forget approvals', accessEnded, (tx, { user_id }) =>
  removeApprovedDevices(tx.db, user_id),
)

/**
 * Device sign-in for tools that have no browser (RFC 8628). A person approves the code in the
 * browser of any other machine.
 */
export const feature: Feature = {
  name: 'devices',
  operations: Object.values(operations),
  handlers: [forgetApprovals],
  jobs: [sweepDevices],
}
