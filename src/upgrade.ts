/**
 * Upgrades with a way back. Before migrations run, the database is copied; an older executable that
 * meets a newer database names the copy and how to go back to it; going back puts the copy in the
 * database's place and keeps what it replaces.
 */
import { copyDatabase, openDatabase, takeLock, type DatabaseHandle } from '#core/db.ts'
import {
  migrate,
  migrations,
  NewerDatabase,
  pendingMigrations,
  recordedMigrations,
} from '#core/migrate.ts'
import type { Log } from '#lib/log.ts'
import { syncDirectorySync } from '#lib/disk.ts'
import { timestamp, type Clock } from '#lib/time.ts'
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'

/** Copies from before upgrades that are kept. */
const KEPT = 3
const COPY = /^before-(.+)-at-(\d{4}_[a-z_]+)\.db$/

/** Why a forge cannot be opened or taken back, in one line for the person who starts it. */
export class UpgradeError extends Error {}

export type Places = { readonly database: string; readonly upgrades: string; readonly lock: string }

export type Copy = { readonly path: string; readonly made_at: string; readonly schema: string }

/** Copies from before upgrades, the newest first. */
export function listCopies(upgrades: string): Copy[] {
  if (!existsSync(upgrades)) return []
  return readdirSync(upgrades)
    .flatMap((name) => {
      const match = COPY.exec(name)
      return match
        ? [
            {
              path: join(upgrades, name),
              made_at: (match[1] ?? '').replace(/T(\d\d)-(\d\d)-/, 'T$1:$2:'),
              schema: match[2] ?? '',
            },
          ]
        : []
    })
    .sort((a, b) => (a.made_at < b.made_at ? 1 : -1))
}

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error))
const forFiles = (time: string): string => time.replaceAll(':', '-')

/**
 * Copies the database as it is, at the schema of `recorded`. Gives UpgradeError when that cannot be
 * done; then nothing has changed.
 */
function keepCopy(places: Places, recorded: readonly string[], now: string): string {
  const path = join(
    places.upgrades,
    `before-${forFiles(now)}-at-${recorded.at(-1) ?? '0000_none'}.db`,
  )
  const partial = `${path}.partial`
  try {
    mkdirSync(places.upgrades, { recursive: true, mode: 0o700 })
    for (const name of readdirSync(places.upgrades))
      if (name.endsWith('.partial')) rmSync(join(places.upgrades, name))
    copyDatabase(places.database, partial)
    chmodSync(partial, 0o600)
    renameSync(partial, path)
    syncDirectorySync(places.upgrades)
  } catch (error) {
    if (existsSync(partial)) rmSync(partial)
    const size = Math.ceil(
      (statSync(places.database, { throwIfNoEntry: false })?.size ?? 0) / 1024 ** 2,
    )
    throw new UpgradeError(
      `the copy of the database from before the upgrade could not be made, so nothing was changed: ${reason(error)} (it needs about ${size} MB in ${places.upgrades})`,
    )
  }
  for (const old of listCopies(places.upgrades).slice(KEPT)) rmSync(old.path)
  return path
}

/**
 * Brings a database up to date, with a copy before. Gives UpgradeError for a newer one, and for a
 * command that would upgrade under a process that serves. Gives the names of what ran.
 */
export function bringUpToDate(
  database: DatabaseHandle,
  places: Places | null,
  options: { log: Log; clock: Clock; beside: boolean },
): readonly string[] {
  const pending = requireKnown(database, places)
  const recorded = recordedMigrations(database)
  if (pending.length > 0 && recorded.length > 0 && places) {
    if (options.beside) {
      mkdirSync(join(places.lock, '..'), { recursive: true, mode: 0o700 })
      const release = takeLock(places.lock)
      if (!release)
        throw new UpgradeError(
          'an older Hearth serves this directory: restart it with this executable first, which brings the database up to date',
        )
      release()
    }
    const copy = keepCopy(places, recorded, timestamp(options.clock.now()))
    options.log.info('the database was copied before the upgrade', { copy })
  }
  return migrate(database, timestamp(options.clock.now()))
}

/**
 * The migrations that wait. Gives UpgradeError, with the way back, for a database that a newer
 * executable has changed.
 */
export function requireKnown(
  database: DatabaseHandle,
  places: Places | null,
): readonly { readonly name: string }[] {
  try {
    return pendingMigrations(database)
  } catch (error) {
    if (!(error instanceof NewerDatabase) || !places) throw error
    const copy = usableCopy(places)
    const back = copy
      ? `"hearth rollback" goes back to ${copy.path}, from ${copy.made_at}`
      : 'there is no copy from before the upgrade here, so only a backup leads back'
    throw new UpgradeError(`${error.message}. Start the newer executable again, or: ${back}`)
  }
}

/** Whether this executable knows every migration that a copy has been through. */
function isKnown({ path }: Copy): boolean {
  const known = new Set(migrations.map(({ name }) => name))
  try {
    const database = openDatabase({ path, readonly: true })
    try {
      return recordedMigrations(database).every((name) => known.has(name))
    } finally {
      database.close()
    }
  } catch {
    return false
  }
}

/** The newest copy that this executable can open. */
const usableCopy = (places: Places): Copy | null =>
  listCopies(places.upgrades).find(isKnown) ?? null

export type RolledBack = { readonly copy: Copy; readonly kept: string }

/**
 * Goes back to the copy from before an upgrade. What it replaces stays beside it under another
 * name; git's objects are not touched, and none that the copy needs has gone meanwhile. Until the
 * last step, which is one rename, nothing has changed. Gives UpgradeError.
 */
export function rollBack(places: Places, now: string): RolledBack {
  if (!existsSync(places.database))
    throw new UpgradeError(`there is no database at ${places.database}`)
  mkdirSync(join(places.lock, '..'), { recursive: true, mode: 0o700 })
  const release = takeLock(places.lock)
  if (!release) throw new UpgradeError('this directory is being served: stop that first')
  try {
    const database = openDatabase({ path: places.database })
    let newer: boolean
    try {
      const known = new Set(migrations.map(({ name }) => name))
      newer = recordedMigrations(database).some((name) => !known.has(name))
    } finally {
      database.close()
    }
    if (!newer)
      throw new UpgradeError(
        'the database is not newer than this executable, so there is nothing to go back from; run the rollback with the executable that you want to go back to',
      )
    const copy = usableCopy(places)
    if (!copy)
      throw new UpgradeError(`there is no copy in ${places.upgrades} that this executable can open`)
    const wal = `${places.database}-wal`
    // A journal that is left over would be applied to the copy.
    if ((statSync(wal, { throwIfNoEntry: false })?.size ?? 0) > 0)
      throw new UpgradeError('another process has the database open: end it first')

    const next = `${places.database}.rolling-back`
    const kept = join(places.upgrades, `rolled-back-${forFiles(now)}.db`)
    rmSync(next, { force: true })
    copyFileSync(copy.path, next)
    chmodSync(next, 0o600)
    const file = openSync(next, 'r+')
    try {
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    for (const ending of ['-wal', '-shm']) rmSync(places.database + ending, { force: true })
    // The index of searches knows what the copy does not; it is made anew. What is kept of history
    // (cache.db) is right for any copy.
    for (const ending of ['', '-wal', '-shm'])
      rmSync(join(places.database, '..', `search.db${ending}`), { force: true })
    try {
      linkSync(places.database, kept)
    } catch {
      copyFileSync(places.database, kept)
    }
    syncDirectorySync(places.upgrades)
    renameSync(next, places.database)
    syncDirectorySync(join(places.database, '..'))
    return { copy, kept }
  } finally {
    release()
  }
}
