/**
 * Reads the audit log. Core writes the entries, in the transaction of the change that they record.
 * A leaf feature.
 */
import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import { sweepAuditLog } from './sweep.ts'
import * as operations from './operations.ts'

export * from './operations.ts'
export * from './schema.ts'

export const feature: Feature = {
  name: 'audit',
  operations: Object.values(operations),
  jobs: [sweepAuditLog as Job],
}
