/** Builds the forge: opens what lasts, joins the features to the floor, and hands out one value. Knows everything; nothing knows it. */
import { createGit, type Git } from '#git'
import { createHearth, type Hearth } from '#core/hearth.ts'
import { unfinishedRestore } from '#backup'
import { openDatabase, type DatabaseHandle } from '#core/db.ts'
import type { Settings } from '#core/settings.ts'
import { callers } from '#features/accounts/index.ts'
import { openCopy } from '#features/backups/index.ts'
import { movedTo, repoFacts } from '#features/repos/index.ts'
import { workspaceFacts } from '#features/workspaces/index.ts'
import { features } from '#features/index.ts'
import { getVersion } from '#http/version.ts'
import { silentLog, type Log } from '#lib/log.ts'
import { systemClock, type Clock } from '#lib/time.ts'
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
  for (const directory of [data, repos, tmp, secrets]) mkdirSync(directory, { recursive: true, mode: 0o700 })
  chmodSync(data, 0o700)
}

/** Gives UpgradeError for a directory that a restore has only begun to fill. */
function requireWhole(data: string): void {
  const mark = unfinishedRestore(data)
  if (mark) throw new UpgradeError(`the restore of ${mark.id} into ${data} did not come to its end: run it again, or empty the directory`)
}

/** Gives UpgradeError for a file that SQLite cannot read: cut off, or written over. */
function openSound(path: string): DatabaseHandle {
  try {
    const database = openDatabase({ path })
    database.one('SELECT count(*) FROM sqlite_schema')
    return database
  } catch (error) {
    const { code } = error as { code?: string }
    if (code !== 'SQLITE_CORRUPT' && code !== 'SQLITE_NOTADB') throw error
    throw new UpgradeError(`${path} is damaged (${error instanceof Error ? error.message : String(error)}): keep the file, and restore a backup into another directory`)
  }
}

/** Opens a forge. The jobs are not started: `serve` does that, commands do not. Gives UpgradeError for one that cannot be opened as it is. */
export function openHearth({ settings, log, clock = systemClock, git, databasePath, beside, readonly }: OpenOptions): Hearth {
  requireWhole(settings.data)
  if (!databasePath) prepareData(settings.data)
  const paths = { ...layout(settings.data), ...(databasePath === undefined ? {} : { database: databasePath }) }
  let database = openSound(paths.database)
  let done: readonly string[]
  try {
    done = bringUpToDate(database, paths.database === ':memory:' ? null : paths, { log, clock, beside: beside ?? false })
    if (readonly) {
      database.close()
      database = openDatabase({ path: paths.database, readonly: true })
    }
  } catch (error) {
    database.close()
    throw error
  }
  if (done.length > 0) log.info('the database was brought up to date', { migrations: done })
  const engine =
    git ??
    createGit({
      root: paths.repos,
      tmp: paths.tmp,
      beside,
      workers: settings.git.workers,
      concurrency: settings.git.concurrency,
      memoryBudget: settings.git.memory_budget,
      maxPackBytes: settings.git.max_pack_bytes,
      log: (level, message, fields) => log[level](message, fields),
    })
  return createHearth({
    settings, log, clock, database, git: engine, features: [...features, { name: 'interface', operations: [getVersion], extensions: [openCopy.with(openCopyOf)] }],
    facts: {
      repo: (path, caller) => repoFacts(database, path, caller),
      moved: (path) => movedTo(database, path),
      workspace: (slug, caller) => workspaceFacts(database, slug, caller),
    },
    callers: (hearth) => callers(hearth),
  })
}

/** Opens the restored copy of a forge beside it, to look at: it runs no jobs, mails nothing, and its database can only be read. */
const openCopyOf = ({ settings, clock }: Hearth, data: string): Hearth =>
  openHearth({ settings: { ...settings, data, mail: null, git: { ...settings.git, workers: 1, concurrency: 1, memory_budget: 64 * 1024 ** 2 } }, log: silentLog, clock, readonly: true })
