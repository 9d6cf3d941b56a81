/** Begins backups: one asked for by a person, and those that the settings ask for. */
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { typeId } from '#lib/typeid.ts'
import { HOUR } from '#lib/time.ts'
import { runBackup, settleForsaken } from './run-backup.ts'
import { runVerification } from './run-verification.ts'
import { placeOf } from './settings.ts'
import {
  findAtWork,
  findLastDone,
  findLastScheduled,
  findLastVerified,
  findVerifying,
  insertBackup,
  setVerification,
} from './store.ts'

export type Begin = {
  readonly name: string | null
  readonly scheduled: boolean
  readonly created_by: string | null
  readonly to?: string
}

/** Notes a backup that is to be made. Gives its id. */
export function begin(tx: Tx, { name, scheduled, created_by, to }: Begin): string {
  const { settings } = tx.hearth
  const id = typeId('bkp', tx.now_ms)
  insertBackup(tx, {
    id,
    name,
    place: to ?? placeOf(settings),
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

/** After one that failed the next try does not wait for the whole span. */
const AGAIN_MS = HOUR

/**
 * Whether the settings ask for a backup now. A clock that was set back does not put it off for
 * longer than the span.
 */
export function isDue(hearth: Hearth): boolean {
  const { every_ms } = hearth.settings.backups
  if (every_ms === null || findAtWork(hearth.db)) return false
  const last = findLastScheduled(hearth.db)
  if (!last) return true
  const passed = hearth.clock.now() - Date.parse(last.created_at)
  return passed < 0 || passed >= (last.state === 'failed' ? Math.min(AGAIN_MS, every_ms) : every_ms)
}

/**
 * Which backup the settings ask to be proved now: the newest, if the last proof of any is long ago.
 */
export function toVerify(hearth: Hearth): string | null {
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

export const keepSchedule = job<null>({
  kind: 'keep_backup_schedule',
  every: '5m',
  run: async ({ hearth }) => {
    await settleForsaken(hearth)
    await writeAs(hearth, null, (tx) => {
      if (isDue(hearth))
        enqueueBackup(tx, begin(tx, { name: null, scheduled: true, created_by: null }))
      const id = toVerify(hearth)
      if (id !== null) enqueueVerification(tx, id)
    })
  },
})
