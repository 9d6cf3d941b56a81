/**
 * Builds the forge: opens the data directory and joins core, features and git engine into one
 * value. Only commands import this file.
 */
import { createGit, type Git } from '#git'
import { createHearth, type Hearth } from '#core/hearth.ts'
import { unfinishedRestore } from '#backup'
import { openDatabase, type DatabaseHandle } from '#core/db.ts'
import { newestIds } from '#core/events.ts'
import { recordedMigrations } from '#core/migrate.ts'
import { currentPrincipal } from '#core/principal.ts'
import { RESERVED_REF_PREFIXES } from '#core/reserved-names.ts'
import type { Settings } from '#core/settings.ts'
import { createCallerLookup, findDeparted, mailTranslations } from '#features/accounts/index.ts'
import { openRestoredCopy } from '#features/backups/index.ts'
import { packageFacts } from '#features/packages/index.ts'
import { findKeyCaller, findSshCaller } from '#features/keys/index.ts'
import { findNewPath, repoFacts } from '#features/repos/index.ts'
import { isInvitedToAdvisory, isSecurityManager } from '#features/security/index.ts'
import { applySettings } from '#features/site/index.ts'
import { createBucketStorage, sweepIncoming } from '#features/storage/index.ts'
import { workspaceFacts } from '#features/workspaces/index.ts'
import { features } from '#features/index.ts'
import { getVersion } from '#http/version.ts'
import { silentLog, type Log } from '#lib/log.ts'
import { systemClock, type Clock } from '#lib/time.ts'
import { continueAfter } from '#lib/typeid.ts'
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { translationsOfMail } from '#web/mails.ts'
import { bringUpToDate, UpgradeError } from './upgrade.ts'

export type OpenOptions = {
  settings: Settings
  log: Log
  clock?: Clock
  /** Another engine or database for tests. */
  git?: Git
  databasePath?: string
  /** Set by commands that may run while another process serves. */
  beside?: boolean
  /** Opens the database for reading, once it is up to date. */
  readonly?: boolean
}

/** The paths in a data directory. */
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

/** Creates the directories. Only the owner can open them, because they hold private data. */
export function prepareData(data: string): void {
  const { repos, tmp, secrets } = layout(data)
  for (const directory of [data, repos, tmp, secrets])
    mkdirSync(directory, { recursive: true, mode: 0o700 })
  chmodSync(data, 0o700)
}

/** Throws UpgradeError for a directory whose restore was interrupted. */
function requireCompleteData(data: string): void {
  const mark = unfinishedRestore(data)
  if (mark)
    throw new UpgradeError(
      `the restore of ${mark.id} into ${data} did not come to its end: run it again, or empty the directory`,
    )
}

/**
 * Opens a database. Throws UpgradeError for a damaged file, and for a folder where SQLite cannot
 * write its log.
 */
export function openSound(
  path: string,
  options: { readonly?: boolean; isShared?: boolean } = {},
): DatabaseHandle {
  try {
    const database = openDatabase({ path, ...options })
    // SQLite reads the file at the first query only.
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

/** The layout of a data directory, with another database for tests. */
type DataPaths = ReturnType<typeof layout>

/**
 * Opens a forge. The jobs are not started: `serve` does that, commands do not. Throws UpgradeError
 * for a data directory that cannot be opened as it is.
 */
export function openHearth(options: OpenOptions): Hearth {
  const { settings, log, clock = systemClock, databasePath, beside = false } = options
  requireCompleteData(settings.data)
  if (!databasePath) prepareData(settings.data)
  const paths: DataPaths = {
    ...layout(settings.data),
    ...(databasePath === undefined ? {} : { database: databasePath }),
  }
  const database = openMigratedDatabase(paths, { ...options, clock, beside })
  // New ids must sort after the stored ones, also when the clock was set back meanwhile.
  for (const id of newestIds(database)) continueAfter(id)
  const storage = createBucketStorage({ settings, db: database, clock })
  if (!beside) sweepIncoming(settings.data)
  const hearth = createHearth({
    settings,
    log,
    clock,
    database,
    git: options.git ?? openEngine(paths, options, storage),
    ...(storage === null ? {} : { storage }),
    features: [
      ...features,
      {
        name: 'interface',
        operations: [getVersion],
        extensions: [openRestoredCopy.with(openCopyOf), mailTranslations.with(translationsOfMail)],
      },
    ],
    facts: {
      repo: (path, caller) => repoFacts(database, path, caller),
      moved: (path) => findNewPath(database, path),
      workspace: (slug, caller) => workspaceFacts(database, slug, caller),
      departed: (slug) => findDeparted(database, slug),
      isSecurityManager: (workspace_id, person_id) =>
        isSecurityManager(database, workspace_id, person_id),
      isInvitedToAdvisory: (repo_id, advisory_id, person_id) =>
        isInvitedToAdvisory(database, { repo_id, advisory_id, person_id }),
      package: (target, caller) => packageFacts(database, target, caller),
    },
    callers: (hearth) => {
      const lookup = createCallerLookup(hearth)
      return {
        byToken: (secret) => lookup.byToken(secret),
        bySignIn: (secret) => lookup.bySignIn(secret),
        byCredential: (id) =>
          id.startsWith('key_') ? findKeyCaller(hearth, id) : lookup.byCredential(id),
        bySshKey: (fingerprint) => findSshCaller(hearth, fingerprint),
      }
    },
  })
  storage?.attach(hearth)
  applySettings(hearth)
  return hearth
}

/** Opens the database and runs the pending migrations. */
function openMigratedDatabase(
  paths: DataPaths,
  { log, clock, beside, readonly = false }: OpenOptions & { clock: Clock; beside: boolean },
): DatabaseHandle {
  const database = openSound(paths.database, { isShared: beside })
  try {
    const upgradePaths = paths.database === ':memory:' ? null : paths
    const migrations = bringUpToDate(database, upgradePaths, { log, clock, beside })
    if (migrations.length > 0) log.info('the database was brought up to date', { migrations })
  } catch (error) {
    database.close()
    throw error
  }
  if (!readonly) return database
  database.close()
  return openDatabase({ path: paths.database, readonly: true })
}

function openEngine(
  { repos, tmp }: DataPaths,
  { settings, log, beside = false }: OpenOptions,
  storage: ReturnType<typeof createBucketStorage>,
): Git {
  return createGit({
    root: repos,
    tmp,
    sharedRoot: beside,
    workers: settings.git.workers,
    concurrency: settings.git.concurrency,
    memoryBudget: settings.git.memory_budget,
    responseCacheBytes: settings.git.kept_bytes,
    maxObjectBytes: settings.git.max_object_bytes,
    maxPackBytes: settings.git.max_pack_bytes,
    oldFaults: settings.git.old_faults,
    hiddenFromPush: RESERVED_REF_PREFIXES,
    currentPrincipal,
    ...(storage === null ? {} : { remotePacks: storage }),
    log: (level, message, fields) => log[level](message, fields),
  })
}

/**
 * Opens a restored backup beside the running forge, for its examination. It runs no jobs, sends no
 * mail, and its database is read-only.
 */
const openCopyOf = ({ settings, clock }: Hearth, data: string): Hearth =>
  openHearth({
    settings: {
      ...settings,
      data,
      mail: null,
      storage: null,
      standby: null,
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
