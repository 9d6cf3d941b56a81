/**
 * Notifies of failed backups: by an event, and by mail to site administrators at most once a day.
 */
import type { Tx } from '#core/write.ts'
import { enqueueMail, sayTo } from '#features/accounts/index.ts'
import { DAY } from '#lib/time.ts'
import { backupFailed, SITE } from './events.ts'
import { listAdminAddresses, listBackupRows, type BackupRow } from './store.ts'

/** Whether a failure was already reported on this day, without a success since. */
function wasNotifiedToday(tx: Tx, row: BackupRow): boolean {
  const before = listBackupRows(tx.db).filter(
    ({ id, state }) => id < row.id && (state === 'done' || state === 'failed'),
  )
  const sinceGood = before.slice(
    0,
    Math.max(
      0,
      before.findIndex(({ state }) => state === 'done') < 0
        ? before.length
        : before.findIndex(({ state }) => state === 'done'),
    ),
  )
  // The first failure of a series was reported, and then one each day.
  const first = sinceGood.at(-1)
  if (!first?.finished_at) return false
  const days = (time: string): number =>
    Math.floor((Date.parse(time) - Date.parse(first.finished_at ?? time)) / DAY)
  return sinceGood.some(
    ({ finished_at }) => finished_at !== null && days(finished_at) === days(tx.now),
  )
}

export function notifyFailure(
  tx: Tx,
  row: BackupRow,
  what: 'create' | 'verify',
  error: string,
): void {
  tx.append(
    backupFailed,
    SITE,
    { backup: row.id, name: row.name, place: row.place, what, error },
    { actor_id: null },
  )
  if (what === 'create' && wasNotifiedToday(tx, row)) return
  const { site_url } = tx.hearth.settings
  const site = new URL(site_url).host
  const values = {
    site,
    error,
    id: row.id,
    began: row.started_at ?? row.created_at,
    url: `${site_url}/admin/backups`,
  }
  for (const to of listAdminAddresses(tx.db)) {
    const say = sayTo(tx.hearth, to)
    enqueueMail(tx, {
      to,
      kind: 'backup',
      subject:
        what === 'create'
          ? say('A backup of {site} failed', values)
          : say('A backup of {site} is not sound', values),
      text:
        what === 'create'
          ? say(
              'The backup of {site} that began at {began} could not be made:\n{error}\n\nUntil one succeeds, the newest whole backup is an older one. They are listed at\n{url}\n',
              values,
            )
          : say(
              'The backup {id} of {site} is not sound:\n{error}\n\nDo not rely on it. Make another and have it checked, at\n{url}\n',
              values,
            ),
    })
  }
}
