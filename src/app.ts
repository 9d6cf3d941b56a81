/**
 * Builds the forge: opens what lasts, joins the features to the floor, and hands out one value.
 * Knows everything; nothing knows it.
 */
import { createGit, type Git } from '#git'
import { createHearth, type Hearth } from '#core/hearth.ts'
import { unfinishedRestore } from '#backup'
import { openDatabase, type DatabaseHandle } from '#core/db.ts'
import { newestIds } from '#core/events.ts'
import { recordedMigrations } from '#core/migrate.ts'
import { currentPrincipal } from '#core/work.ts'
import type { Settings } from '#core/settings.ts'
import { callers } from '#features/accounts/index.ts'
import { openCopy } from '#features/backups/index.ts'
import { movedTo, repoFacts } from '#features/repos/index.ts'
import { applySettings } from '#features/site/index.ts'
import { makeKeeper, sweepIncoming } from '#features/storage/index.ts'
import { workspaceFacts } from '#features/workspaces/index.ts'
import { features } from '#features/index.ts'
import { getVersion } from '#http/version.ts'
import { silentLog, type Log } from '#lib/log.ts'
import { systemClock, type Clock } from '#lib/time.ts'
import { continueAfter } from '#lib/typeid.ts'
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { bringUpToDate, UpgradeError } from './upgrade.ts'

export type OpenOptions = {
  settings: Settings
  log: Log
  clock?: Clock
  /** Another engine or database for tests. */
  git?: Git
  databasePath?: string
  /** A command that may run while another process serves. */
  beside?: boolean
  /** Nothing in it is to change, once its database is up to date. */
  readonly?: boolean
}

/** Where things are in the data directory. */
export const layout = (data: string) => ({
  database: join(data, 'hearth.db'),
  repos: join(data, 'repos'),
  tmp: join(data, 'tmp'),
  outbox: join(data, 'outbox'),
  secrets: join(data, 'secrets'),
  control: join(data, 'tmp', 'control.json'),
  lock: join(data, 'tmp', 'serve.lock'),
  backups: join(data, 'backups'),
  upgrades: join(data, 'backups', 'upgrades'),
})

/** Makes the directories, open to the owner only, because they hold private repositories. */
export function prepareData(data: string): void {
  const { repos, tmp, secrets } = layout(data)
  for (const directory of [data, repos, tmp, secrets])
    mkdirSync(directory, { recursive: true, mode: 0o700 })
  chmodSync(data, 0o700)
}

/** Gives UpgradeError for a directory that a restore has only begun to fill. */
function requireWhole(data: string): void {
  const mark = unfinishedRestore(data)
  if (mark)
    throw new UpgradeError(
      `the restore of ${mark.id} into ${data} did not come to its end: run it again, or empty the directory`,
    )
}

/**
 * Gives UpgradeError for a file that SQLite cannot read (cut off, or written over), or not write
 * beside.
 */
export function openSound(path: string, options: { readonly?: boolean } = {}): DatabaseHandle {
  try {
    const database = openDatabase({ path, ...options })
    // Only reading shows what is in the file.
    recordedMigrations(database)
    return database
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    if (code === 'SQLITE_CORRUPT' || code === 'SQLITE_NOTADB') {
      throw new UpgradeError(
        `${path} is damaged (${message}): keep the file, and restore a backup into another directory`,
      )
    }
    if (code === undefined || !/^SQLITE_(CANTOPEN|FULL|READONLY|PERM|IOERR)/.test(code)) throw error
    throw new UpgradeError(
      `${path} cannot be opened (${message}): see whether its disk has room, and whether this account may write there`,
    )
  }
}

/**
 * Opens a forge. The jobs are not started: `serve` does that, commands do not. Gives UpgradeError
 * for one that cannot be opened as it is.
 */
export function openHearth({
  settings,
  log,
  clock = systemClock,
  git,
  databasePath,
  beside,
  readonly,
}: OpenOptions): Hearth {
  requireWhole(settings.data)
  if (!databasePath) prepareData(settings.data)
  const paths = {
    ...layout(settings.data),
    ...(databasePath === undefined ? {} : { database: databasePath }),
  }
  let database = openSound(paths.database)
  let done: readonly string[]
  try {
    done = bringUpToDate(database, paths.database === ':memory:' ? null : paths, {
      log,
      clock,
      beside: beside ?? false,
    })
    if (readonly) {
      database.close()
      database = openDatabase({ path: paths.database, readonly: true })
    }
  } catch (error) {
    database.close()
    throw error
  }
  if (done.length > 0) log.info('the database was brought up to date', { migrations: done })
  // A clock that was set back while nothing ran must not put what is new below what is old.
  for (const id of newestIds(database)) continueAfter(id)
  const keeper = makeKeeper({ settings, db: database, clock })
  if (!beside) sweepIncoming(settings.data)
  const engine =
    git ??
    createGit({
      root: paths.repos,
      tmp: paths.tmp,
      beside,
      workers: settings.git.workers,
      concurrency: settings.git.concurrency,
      memoryBudget: settings.git.memory_budget,
      keptBytes: settings.git.kept_bytes,
      maxObjectBytes: settings.git.max_object_bytes,
      maxPackBytes: settings.git.max_pack_bytes,
      asker: currentPrincipal,
      ...(keeper === null ? {} : { elsewhere: keeper }),
      log: (level, message, fields) => log[level](message, fields),
    })
  const hearth = createHearth({
    settings,
    log,
    clock,
    database,
    git: engine,
    ...(keeper === null ? {} : { storage: keeper }),
    features: [
      ...features,
      { name: 'interface', operations: [getVersion], extensions: [openCopy.with(openCopyOf)] },
    ],
    facts: {
      repo: (path, caller) => repoFacts(database, path, caller),
      moved: (path) => movedTo(database, path),
      workspace: (slug, caller) => workspaceFacts(database, slug, caller),
    },
    callers: (hearth) => callers(hearth),
  })
  keeper?.join(hearth)
  applySettings(hearth)
  return hearth
}

/**
 * Opens the restored copy of a forge beside it, to look at: it runs no jobs, mails nothing, and its
 * database can only be read.
 */
const openCopyOf = ({ settings, clock }: Hearth, data: string): Hearth =>
  openHearth({
    settings: {
      ...settings,
      data,
      mail: null,
      storage: null,
      git: {
        ...settings.git,
        workers: 1,
        concurrency: 1,
        memory_budget: 64 * 1024 ** 2,
        kept_bytes: 0,
      },
    },
    log: silentLog,
    clock,
    readonly: true,
  })
