/**
 * The job that makes a backup, and clears the place of old ones afterwards. Stopped midway it
 * begins again and finds most of it there.
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
import { tryLock, type Created } from './create.ts'
import { onThread } from './keeper.ts'
import { createTask, placeOf } from './settings.ts'
import {
  findBackup,
  listForsaken,
  removeBackup,
  setDone,
  setFailed,
  setProgress,
  setStarted,
  type BackupRow,
} from './store.ts'
import { tellFailure } from './tell-admins.ts'

const SAVE_EVERY_MS = 1000

/** Writes progress down at most once a second, one after the other. */
export function teller(
  hearth: Hearth,
  id: string,
): { hear: (progress: Progress) => void; done: () => Promise<void> } {
  let last = 0
  let writing: Promise<unknown> = Promise.resolve()
  return {
    hear(progress) {
      const now = performance.now()
      if (now - last < SAVE_EVERY_MS && last !== 0) return
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
 * A backup whose manifest is there already: the process ended between its last step and the note of
 * it, or this database is a restored one.
 */
async function findMade(hearth: Hearth, row: BackupRow): Promise<Manifest | null> {
  try {
    return await readManifest(openPlace(row.place, hearth.settings.backups.s3), row.id)
  } catch (error) {
    if (error instanceof Missing) return null
    throw error
  }
}

/**
 * Makes the backup of a row and notes how it went. Gives whether it is made; throws only when the
 * process is stopping.
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
  const { hear, done } = teller(hearth, id)
  const both = (progress: Progress): void => {
    hear(progress)
    watch(progress)
  }
  try {
    const made = await findMade(hearth, row)
    const created: Created = made
      ? { totals: made.totals, notes: made.notes, added_bytes: 0 }
      : await onThread(
          'create',
          createTask(hearth.settings, {
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
      if (failed) tellFailure(tx, failed, 'create', reason)
    })
    return false
  }
  if (row.place === placeOf(hearth.settings)) await clear(hearth)
  return true
}

/**
 * Takes away the backups of the configured place that the settings do not keep. That it fails
 * spoils no backup.
 */
export async function clear(hearth: Hearth): Promise<readonly string[]> {
  const { backups, data } = hearth.settings
  try {
    const { removed } = await onThread('prune', {
      data,
      place: placeOf(hearth.settings),
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

/** Ends what no process is at any more: made after all, or not. */
export async function settleForsaken(hearth: Hearth): Promise<void> {
  const rows = listForsaken(hearth.db)
  if (rows.length === 0) return
  const release = tryLock(hearth.settings.data)
  // A command may be at it.
  if (!release) return
  try {
    for (const row of rows) {
      const made = await findMade(hearth, row).catch(() => null)
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
  lane: 'backups',
  retry: [],
  run: async ({ hearth, signal }, { id }) => void (await makeBackup(hearth, id, signal)),
})
