/** Keeping a forge: backups of all of it, and the doctor. A leaf. */
import { conditions } from '#core/gauges.ts'
import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import { condition } from './condition.ts'
import { createBackup } from './create-backup.ts'
import { events } from './events.ts'
import { listBackups } from './list-backups.ts'
import { runBackup } from './run-backup.ts'
import { runVerification } from './run-verification.ts'
import { keepSchedule } from './start.ts'
import { verifyBackupOperation } from './verify-backup.ts'

export * from './schema.ts'
export { createBackup, listBackups, verifyBackupOperation }
export { lockBackups } from './create.ts'
export { examine, type Examined, type Finding } from './doctor/index.ts'
export { onThread } from './keeper.ts'
export { openCopy } from './points.ts'
export { clear as clearBackups, makeBackup } from './run-backup.ts'
export { identitiesOf, placeOf } from './settings.ts'
export { begin as beginBackup } from './start.ts'
export { findBackup, findLastDone, removeBackup } from './store.ts'
export { verifyBackup, type Verdict } from './verify.ts'

export const feature: Feature = {
  name: 'backups',
  operations: [listBackups, createBackup, verifyBackupOperation],
  events,
  jobs: [runBackup, runVerification, keepSchedule] as Job[],
  extensions: [conditions.with(condition)],
}
