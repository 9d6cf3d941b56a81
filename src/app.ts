/** Builds the forge: opens what lasts, joins the features to the floor, and hands out one value. Knows everything; nothing knows it. */
import { createGit, type Git } from '#git'
import { createHearth, type Hearth } from '#core/hearth.ts'
import { openDatabase } from '#core/db.ts'
import { migrate } from '#core/migrate.ts'
import type { Settings } from '#core/settings.ts'
import { callers } from '#features/accounts/index.ts'
import { movedTo, repoFacts } from '#features/repos/index.ts'
import { workspaceFacts } from '#features/workspaces/index.ts'
import { features } from '#features/index.ts'
import { getVersion } from '#http/version.ts'
import type { Log } from '#lib/log.ts'
import { systemClock, timestamp, type Clock } from '#lib/time.ts'
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

export type OpenOptions = {
  settings: Settings
  log: Log
  clock?: Clock
  /** Another engine or database for tests. */
  git?: Git
  databasePath?: string
  /** A command that may run while another process serves. */
  beside?: boolean
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
})

/** Makes the directories, open to the owner only, because they hold private repositories. */
export function prepareData(data: string): void {
  const { repos, tmp, secrets } = layout(data)
  for (const directory of [data, repos, tmp, secrets]) mkdirSync(directory, { recursive: true, mode: 0o700 })
  chmodSync(data, 0o700)
}

/** Opens a forge. The jobs are not started: `serve` does that, commands do not. */
export function openHearth({ settings, log, clock = systemClock, git, databasePath, beside }: OpenOptions): Hearth {
  if (!databasePath) prepareData(settings.data)
  const paths = layout(settings.data)
  const database = openDatabase({ path: databasePath ?? paths.database })
  const done = migrate(database, timestamp(clock.now()))
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
    settings, log, clock, database, git: engine, features: [...features, { name: 'interface', operations: [getVersion] }],
    facts: {
      repo: (path, caller) => repoFacts(database, path, caller),
      moved: (path) => movedTo(database, path),
      workspace: (slug, caller) => workspaceFacts(database, slug, caller),
    },
    callers: (hearth) => callers(hearth),
  })
}
