/**
 * The rehearsal of an upgrade: the pending migrations run on a copy of the database, and the copy is
 * checked. The database itself is only read.
 */
import { copyDatabase, listFaults, openDatabase } from '#core/db.ts'
import { migrate } from '#core/migrate.ts'
import { bytesFree } from '#lib/disk.ts'
import { timestamp, type Clock } from '#lib/time.ts'
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { openSound } from './app.ts'
import { requireKnownSchema, UpgradeError, type UpgradePaths } from './upgrade.ts'

export type Rehearsal = {
  /** The migrations with their durations. Without pending migrations nothing is copied. */
  readonly steps: readonly { readonly name: string; readonly ms: number }[]
  readonly copyMs: number
  readonly checkMs: number
  /** The size of the copy before and after the migrations. */
  readonly bytesBefore: number
  readonly bytesAfter: number
  /** Faults of the copy afterwards: damaged pages, and rows without their parent row. */
  readonly faults: readonly string[]
}

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Disk space in sizes of the database: the copy, a table that is rewritten, and its journal. */
const SPACE_FACTOR = 3

/**
 * Rehearses the upgrade in a temporary folder below `scratch`. Another process may serve meanwhile.
 * Throws UpgradeError for a newer or damaged database, without space for the copy, and when a
 * migration fails.
 */
export function rehearse(paths: UpgradePaths, scratch: string, clock: Clock): Rehearsal {
  const original = openSound(paths.database, { readonly: true })
  try {
    if (requireKnownSchema(original, paths).length === 0)
      return { steps: [], copyMs: 0, checkMs: 0, bytesBefore: 0, bytesAfter: 0, faults: [] }
  } finally {
    original.raw.close()
  }
  const megabytes = Math.ceil((SPACE_FACTOR * sizeOf(paths.database)) / 1024 ** 2)
  const refuse = (what: string): never => {
    throw new UpgradeError(
      `${what}; the database itself was not changed (the trial needs about ${megabytes} MB in ${scratch}; --scratch names another folder)`,
    )
  }
  let folder = ''
  try {
    mkdirSync(scratch, { recursive: true, mode: 0o700 })
    if (bytesFree(scratch) < megabytes * 1024 ** 2)
      return refuse('there is no room to try the upgrade on a copy')
    folder = mkdtempSync(join(scratch, 'rehearsal-'))
    const path = join(folder, 'hearth.db')
    const startedMs = performance.now()
    copyDatabase(paths.database, path)
    return { ...migrateCopy(path, clock, performance.now() - startedMs) }
  } catch (error) {
    if (error instanceof UpgradeError) throw error
    return refuse(reason(error))
  } finally {
    if (folder !== '') rmSync(folder, { recursive: true, force: true })
  }
}

const sizeOf = (path: string): number =>
  ['', '-wal'].reduce(
    (sum, ending) => sum + (statSync(path + ending, { throwIfNoEntry: false })?.size ?? 0),
    0,
  )

function migrateCopy(path: string, clock: Clock, copyMs: number): Rehearsal {
  const bytesBefore = sizeOf(path)
  const steps: { name: string; ms: number }[] = []
  const copy = openDatabase({ path })
  try {
    try {
      migrate(copy, timestamp(clock.now()), undefined, (name, ms) => steps.push({ name, ms }))
    } catch (error) {
      const done = steps.length === 0 ? '' : ` (after ${steps.map(({ name }) => name).join(', ')})`
      throw new Error(`the upgrade would fail${done}: ${reason(error)}`)
    }
    const startedMs = performance.now()
    const faults = listFaults(copy)
    copy.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    const checkMs = performance.now() - startedMs
    return { steps, copyMs, checkMs, bytesBefore, bytesAfter: sizeOf(path), faults }
  } finally {
    copy.raw.close()
  }
}
