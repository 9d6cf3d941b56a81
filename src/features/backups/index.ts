/** Backups of the whole forge, and the doctor. A leaf. */
import { conditions } from '#core/gauges.ts'
import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import { condition } from './condition.ts'
import { events } from './events.ts'
import { runBackup } from './run-backup.ts'
import { runVerification } from './run-verification.ts'
import { runBackupSchedule } from './schedule.ts'
import * as operations from './operations.ts'

export * from './schema.ts'
export * from './operations.ts'
export { lockBackups } from './build-backup.ts'
export { examine, type Finding } from './doctor/index.ts'

export { openRestoredCopy } from './extension-points.ts'
export { pruneBackups, makeBackup } from './run-backup.ts'
export { readBackupIdentities, backupAddress } from './backup-settings.ts'
export { insertRequestedBackup } from './schedule.ts'
export { findBackup, removeBackup } from './store.ts'
export { verifyByRestore } from './verify-by-restore.ts'

export const feature: Feature = {
  name: 'backups',
  operations: Object.values(operations),
  events,
  jobs: [runBackup, runVerification, runBackupSchedule] as Job[],
  extensions: [conditions.with(condition)],
}
