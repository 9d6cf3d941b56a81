/**
 * Upgrades that can be rolled back. The database is copied before migrations run. An older
 * executable refuses a newer database and names the copy. A rollback repaths the database by the
 * copy and keeps the newer database beside it.
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

/** Older copies from before upgrades are deleted. */
const MAX_COPIES = 3
const COPY_NAME = /^before-(.+)-at-(\d{4}_[a-z_]+)\.db$/

/** A forge cannot be opened or rolled back. The message is one line for the administrator. */
export class UpgradeError extends Error {}

/** The paths in the data directory that an upgrade uses. */
export type UpgradePaths = {
  readonly database: string
  readonly upgrades: string
  readonly lock: string
}

/** A copy of the database from before an upgrade. `schema` is its last migration. */
export type DatabaseCopy = {
  readonly path: string
  readonly made_at: string
  readonly schema: string
}

/** The copies from before upgrades, the newest first. */
export function listCopies(upgrades: string): DatabaseCopy[] {
  if (!existsSync(upgrades)) return []
  return readdirSync(upgrades)
    .flatMap((name) => {
      const match = COPY_NAME.exec(name)
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

/** Copies the database. Throws UpgradeError without a change when that fails. */
function copyBeforeUpgrade(paths: UpgradePaths, recorded: readonly string[], now: string): string {
  const path = join(
    paths.upgrades,
    `before-${forFiles(now)}-at-${recorded.at(-1) ?? '0000_none'}.db`,
  )
  const partial = `${path}.partial`
  try {
    mkdirSync(paths.upgrades, { recursive: true, mode: 0o700 })
    for (const name of readdirSync(paths.upgrades))
      if (name.endsWith('.partial')) rmSync(join(paths.upgrades, name))
    copyDatabase(paths.database, partial)
    chmodSync(partial, 0o600)
    renameSync(partial, path)
    syncDirectorySync(paths.upgrades)
  } catch (error) {
    if (existsSync(partial)) rmSync(partial)
    const size = Math.ceil(
      (statSync(paths.database, { throwIfNoEntry: false })?.size ?? 0) / 1024 ** 2,
    )
    throw new UpgradeError(
      `the copy of the database from before the upgrade could not be made, so nothing was changed: ${reason(error)} (it needs about ${size} MB in ${paths.upgrades})`,
    )
  }
  for (const old of listCopies(paths.upgrades).slice(MAX_COPIES)) rmSync(old.path)
  return path
}

/**
 * Copies the database and runs the pending migrations. Returns their names. Throws UpgradeError for
 * a newer database, and when a command would upgrade while another process serves.
 */
export function bringUpToDate(
  database: DatabaseHandle,
  paths: UpgradePaths | null,
  options: { log: Log; clock: Clock; beside: boolean },
): readonly string[] {
  const pending = requireKnownSchema(database, paths)
  const recorded = recordedMigrations(database)
  if (pending.length > 0 && recorded.length > 0 && paths) {
    if (options.beside) {
      mkdirSync(join(paths.lock, '..'), { recursive: true, mode: 0o700 })
      const release = takeLock(paths.lock)
      if (!release)
        throw new UpgradeError(
          'an older Hearth serves this directory: restart it with this executable first, which brings the database up to date',
        )
      release()
    }
    const copy = copyBeforeUpgrade(paths, recorded, timestamp(options.clock.now()))
    options.log.info('the database was copied before the upgrade', { copy })
  }
  return migrate(database, timestamp(options.clock.now()))
}

/** The pending migrations. Throws UpgradeError, with the remedy, for a newer database. */
export function requireKnownSchema(
  database: DatabaseHandle,
  paths: UpgradePaths | null,
): readonly { readonly name: string }[] {
  try {
    return pendingMigrations(database)
  } catch (error) {
    if (!(error instanceof NewerDatabase) || !paths) throw error
    const copy = findUsableCopy(paths)
    const back = copy
      ? `"hearth rollback" goes back to ${copy.path}, from ${copy.made_at}`
      : 'there is no copy from before the upgrade here, so only a backup leads back'
    throw new UpgradeError(`${error.message}. Start the newer executable again, or: ${back}`)
  }
}

/** Whether this executable knows all migrations of a copy. */
function isKnown({ path }: DatabaseCopy): boolean {
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
const findUsableCopy = (paths: UpgradePaths): DatabaseCopy | null =>
  listCopies(paths.upgrades).find(isKnown) ?? null

export type Rollback = { readonly copy: DatabaseCopy; readonly kept: string }

/**
 * Replaces the database by the copy from before an upgrade. The newer database stays beside it under
 * another name. Git objects are not touched, because no object that the copy needs was deleted. All
 * steps before the final rename leave the database unchanged. Throws UpgradeError.
 */
export function rollBack(paths: UpgradePaths, now: string): Rollback {
  if (!existsSync(paths.database))
    throw new UpgradeError(`there is no database at ${paths.database}`)
  mkdirSync(join(paths.lock, '..'), { recursive: true, mode: 0o700 })
  const release = takeLock(paths.lock)
  if (!release) throw new UpgradeError('this directory is being served: stop that first')
  try {
    if (!hasNewerSchema(paths.database))
      throw new UpgradeError(
        'the database is not newer than this executable, so there is nothing to go back from; run the rollback with the executable that you want to go back to',
      )
    const copy = findUsableCopy(paths)
    if (!copy)
      throw new UpgradeError(`there is no copy in ${paths.upgrades} that this executable can open`)
    // SQLite would apply a remaining log to the copy.
    if ((statSync(`${paths.database}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0)
      throw new UpgradeError('another process has the database open: end it first')
    const kept = join(paths.upgrades, `rolled-back-${forFiles(now)}.db`)
    replaceDatabase(paths, copy, kept)
    return { copy, kept }
  } finally {
    release()
  }
}

/** Whether a database has migrations that this executable does not know. */
function hasNewerSchema(path: string): boolean {
  const database = openDatabase({ path })
  try {
    const known = new Set(migrations.map(({ name }) => name))
    return recordedMigrations(database).some((name) => !known.has(name))
  } finally {
    database.close()
  }
}

/** Puts a copy in the place of the database, which stays as `kept`. */
function replaceDatabase(paths: UpgradePaths, copy: DatabaseCopy, kept: string): void {
  const next = `${paths.database}.rolling-back`
  rmSync(next, { force: true })
  copyFileSync(copy.path, next)
  chmodSync(next, 0o600)
  const file = openSync(next, 'r+')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  const folder = join(paths.database, '..')
  for (const ending of ['-wal', '-shm']) rmSync(paths.database + ending, { force: true })
  // The search index has newer content than the copy, so it is rebuilt. The cache of history
  // (cache.db) is valid for any copy.
  for (const ending of ['', '-wal', '-shm'])
    rmSync(join(folder, `search.db${ending}`), { force: true })
  try {
    linkSync(paths.database, kept)
  } catch {
    copyFileSync(paths.database, kept)
  }
  syncDirectorySync(paths.upgrades)
  renameSync(next, paths.database)
  syncDirectorySync(folder)
}
