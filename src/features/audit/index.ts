/**
 * Reading the audit log. Entries are written by the floor, in the transaction of what they tell of.
 * A leaf.
 */
import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import { listAuditLog } from './list-audit-log.ts'
import { listSiteAuditLog } from './list-site-audit-log.ts'
import { sweepAuditLog } from './sweep.ts'

export * from './schema.ts'
export { listAuditLog, listSiteAuditLog }

export const feature: Feature = {
  name: 'audit',
  operations: [listAuditLog, listSiteAuditLog],
  jobs: [sweepAuditLog as Job],
}
