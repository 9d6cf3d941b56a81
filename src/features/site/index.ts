/** Site administration: status, settings, quotas and background jobs. A leaf feature. */
import { conditions } from '#core/gauges.ts'
import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import { quotaChecks, quotaRooms } from '#features/workspaces/index.ts'
import { mailCondition, tlsCondition } from './status.ts'
import { sweepOutbox } from './sweep-outbox.ts'
import { findQuotaRoom, requireWithinQuota } from './usage.ts'
import * as operations from './operations.ts'

export * from './operations.ts'
export * from './schema.ts'
export { applySettings } from './changeable-settings.ts'

export const feature: Feature = {
  name: 'site',
  operations: Object.values(operations),
  jobs: [sweepOutbox as Job],
  extensions: [
    quotaChecks.with(requireWithinQuota),
    quotaRooms.with(findQuotaRoom),
    conditions.with(mailCondition),
    conditions.with(tlsCondition),
  ],
}
