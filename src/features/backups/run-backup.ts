/**
 * The job that creates a backup and then prunes old ones. An interrupted job starts again and
 * reuses what was written.
 */
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import {
  BackupError,
  Missing,
  openPlace,
  readManifest,
  type Manifest,
  type Progress,
  type Tell,
} from '#backup'
import { timestamp } from '#lib/time.ts'
import { tryLockBackups, type BuiltBackup } from './build-backup.ts'
import { runOnThread } from './backup-thread.ts'
import { buildTask, backupAddress } from './backup-settings.ts'
import {
  findBackup,
  listAbandoned,
  removeBackup,
  setDone,
  setFailed,
  setProgress,
  setStarted,
  type BackupRow,
} from './store.ts'
import { notifyFailure } from './notify-admins.ts'

const PROGRESS_INTERVAL_MS = 1000

/** Stores progress at most once a second, one write after the other. */
export function progressWriter(
  hearth: Hearth,
  id: string,
): { hear: (progress: Progress) => void; done: () => Promise<void> } {
  let last = 0
  let writing: Promise<unknown> = Promise.resolve()
  return {
    hear(progress) {
      const now = performance.now()
      if (now - last < PROGRESS_INTERVAL_MS && last !== 0) return
      last = now
      writing = writing
        .then(() => writeAs(hearth, null, (tx) => setProgress(tx, id, progress)))
        .catch((error: unknown) =>
          hearth.log.warn('the progress of a backup was not kept', { error }),
        )
    },
    done: async () => void (await writing),
  }
}

/**
 * Finds the manifest of a backup that was already completed: the process ended before its row was
 * updated, or this database is a restored copy.
 */
async function findManifest(hearth: Hearth, row: BackupRow): Promise<Manifest | null> {
  try {
    return await readManifest(openPlace(row.place, hearth.settings.backups.s3), row.id)
  } catch (error) {
    if (error instanceof Missing) return null
    throw error
  }
}

/**
 * Creates the backup of a row and stores the outcome. Returns whether it succeeded; throws only
 * when the process is stopping.
 */
export async function makeBackup(
  hearth: Hearth,
  id: string,
  signal: AbortSignal,
  watch: Tell = () => {},
): Promise<boolean> {
  const row = findBackup(hearth.db, id)
  if (!row || row.finished_at !== null) return false
  await writeAs(hearth, null, (tx) => setStarted(tx, id))
  const { hear, done } = progressWriter(hearth, id)
  const both = (progress: Progress): void => {
    hear(progress)
    watch(progress)
  }
  try {
    const made = await findManifest(hearth, row)
    const created: BuiltBackup = made
      ? { totals: made.totals, notes: made.notes, added_bytes: 0 }
      : await runOnThread(
          'create',
          buildTask(hearth.settings, {
            id,
            name: row.name,
            to: row.place,
            now: timestamp(hearth.clock.now()),
          }),
          both,
          signal,
        )
    await done()
    await writeAs(hearth, null, (tx) =>
      setDone(tx, id, {
        ...created.totals,
        added_bytes: created.added_bytes,
        notes: created.notes,
      }),
    )
  } catch (error) {
    await done()
    if (signal.aborted) throw error
    const reason = error instanceof Error ? error.message : String(error)
    if (!(error instanceof BackupError)) hearth.log.error('a backup failed', { backup: id, error })
    await writeAs(hearth, null, (tx) => {
      setFailed(tx, id, reason)
      const failed = findBackup(tx.db, id)
      if (failed) notifyFailure(tx, failed, 'create', reason)
    })
    return false
  }
  if (row.place === backupAddress(hearth.settings)) await pruneBackups(hearth)
  return true
}

/** Deletes backups that the settings no longer keep. A failure does not affect the new backup. */
export async function pruneBackups(hearth: Hearth): Promise<readonly string[]> {
  const { backups, data } = hearth.settings
  try {
    const { removed } = await runOnThread('prune', {
      data,
      place: backupAddress(hearth.settings),
      s3: backups.s3,
      keep: backups.keep,
      now_ms: hearth.clock.now(),
    })
    await writeAs(hearth, null, (tx) => {
      for (const id of removed) removeBackup(tx, id)
    })
    return removed
  } catch (error) {
    hearth.log.warn('old backups could not be cleared', { error })
    return []
  }
}

/** Settles backups that no process is working on: completed or failed. */
export async function settleAbandoned(hearth: Hearth): Promise<void> {
  const rows = listAbandoned(hearth.db)
  if (rows.length === 0) return
  const release = tryLockBackups(hearth.settings.data)
  // A command may be running it.
  if (!release) return
  try {
    for (const row of rows) {
      const made = await findManifest(hearth, row).catch(() => null)
      await writeAs(hearth, null, (tx) => {
        if (made) setDone(tx, row.id, { ...made.totals, added_bytes: 0, notes: made.notes })
        else setFailed(tx, row.id, 'the process that made it ended')
      })
    }
  } finally {
    release()
  }
}

export const runBackup = job<{ id: string }>({
  kind: 'run_backup',
  queue: 'backups',
  retry: [],
  run: async ({ hearth, signal }, { id }) => void (await makeBackup(hearth, id, signal)),
})
