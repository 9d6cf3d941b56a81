/** Starts backups: those requested by a person, and those of the schedule. */
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { typeId } from '#core/ids.ts'
import { HOUR } from '#lib/time.ts'
import { runBackup, settleAbandoned } from './run-backup.ts'
import { runVerification } from './run-verification.ts'
import { backupAddress } from './backup-settings.ts'
import {
  findUnfinished,
  findLastDone,
  findLastScheduled,
  findLastVerified,
  findVerifying,
  insertBackup,
  setVerification,
} from './store.ts'

export type BackupRequest = {
  readonly name: string | null
  readonly scheduled: boolean
  readonly created_by: string | null
  readonly to?: string
}

/** Inserts the row of a requested backup and returns its id. */
export function insertRequestedBackup(
  tx: Tx,
  { name, scheduled, created_by, to }: BackupRequest,
): string {
  const { settings } = tx.hearth
  const id = typeId('bkp', tx.now_ms)
  insertBackup(tx, {
    id,
    name,
    place: to ?? backupAddress(settings),
    scheduled,
    encrypted: settings.backups.recipients.length > 0,
    created_by,
  })
  return id
}

export const enqueueBackup = (tx: Tx, id: string): string =>
  tx.enqueue(runBackup, { id }, { key: id })

export function enqueueVerification(tx: Tx, id: string): void {
  setVerification(tx, id, 'queued')
  tx.enqueue(runVerification, { id }, { key: id })
}

/** After a failure the next attempt does not wait for the whole interval. */
const RETRY_AFTER_FAILURE_MS = HOUR

/**
 * Whether a scheduled backup is due. A clock that was set back delays it by at most one interval.
 */
export function isBackupDue(hearth: Hearth): boolean {
  const { every_ms } = hearth.settings.backups
  if (every_ms === null || findUnfinished(hearth.db)) return false
  const last = findLastScheduled(hearth.db)
  if (!last) return true
  const passed = hearth.clock.now() - Date.parse(last.created_at)
  return (
    passed < 0 ||
    passed >= (last.state === 'failed' ? Math.min(RETRY_AFTER_FAILURE_MS, every_ms) : every_ms)
  )
}

/**
 * Returns the backup that is due for verification: the newest, if the last verification of any
 * backup is long ago.
 */
export function findBackupToVerify(hearth: Hearth): string | null {
  const { verify_every_ms } = hearth.settings.backups
  const newest = findLastDone(hearth.db)
  if (
    verify_every_ms === null ||
    !newest ||
    newest.verification !== null ||
    findVerifying(hearth.db)
  )
    return null
  const last = findLastVerified(hearth.db)?.verified_at
  const passed = last ? hearth.clock.now() - Date.parse(last) : Infinity
  return passed < 0 || passed >= verify_every_ms ? newest.id : null
}

export const runBackupSchedule = job<null>({
  kind: 'keep_backup_schedule',
  every: '5m',
  run: async ({ hearth }) => {
    await settleAbandoned(hearth)
    await writeAs(hearth, null, (tx) => {
      if (isBackupDue(hearth))
        enqueueBackup(
          tx,
          insertRequestedBackup(tx, { name: null, scheduled: true, created_by: null }),
        )
      const id = findBackupToVerify(hearth)
      if (id !== null) enqueueVerification(tx, id)
    })
  },
})
