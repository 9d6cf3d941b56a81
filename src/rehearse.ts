/**
 * An upgrade on trial: a copy of the database goes through the migrations that wait, and is looked
 * at; the database itself is only read.
 */
import { copyDatabase, listFaults, openDatabase } from '#core/db.ts'
import { migrate } from '#core/migrate.ts'
import { bytesFree } from '#lib/disk.ts'
import { timestamp, type Clock } from '#lib/time.ts'
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { openSound } from './app.ts'
import { requireKnown, UpgradeError, type Places } from './upgrade.ts'

export type Rehearsal = {
  /**
   * What ran on the copy, in order, with its time in milliseconds; empty when nothing waits, and
   * then nothing was copied.
   */
  readonly steps: readonly { readonly name: string; readonly ms: number }[]
  /** Milliseconds that copying and looking took. */
  readonly copying: number
  readonly looking: number
  /** Sizes of the copy in bytes. */
  readonly before: number
  readonly after: number
  /** What is wrong with the copy afterwards: damaged pages, and rows that point at nothing. */
  readonly faults: readonly string[]
}

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/**
 * A copy is written whole, and a migration may write each table once more, with a journal of it.
 */
const TIMES_THE_SIZE = 3

/**
 * Tries the upgrade in a folder of its own below `scratch`, which is gone afterwards; another
 * process may serve meanwhile. Gives UpgradeError for a newer database, for one that is damaged,
 * when there is no room for the copy, and when a migration fails.
 */
export function rehearse(places: Places, scratch: string, clock: Clock): Rehearsal {
  const original = openSound(places.database, { readonly: true })
  try {
    if (requireKnown(original, places).length === 0)
      return { steps: [], copying: 0, looking: 0, before: 0, after: 0, faults: [] }
  } finally {
    original.raw.close()
  }
  const megabytes = Math.ceil((TIMES_THE_SIZE * sizeOf(places.database)) / 1024 ** 2)
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
    const began = performance.now()
    copyDatabase(places.database, path)
    return { ...onCopy(path, clock), copying: performance.now() - began }
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

function onCopy(path: string, clock: Clock): Omit<Rehearsal, 'copying'> {
  const before = sizeOf(path)
  const steps: { name: string; ms: number }[] = []
  const copy = openDatabase({ path })
  try {
    try {
      migrate(copy, timestamp(clock.now()), undefined, (name, ms) => steps.push({ name, ms }))
    } catch (error) {
      const done = steps.length === 0 ? '' : ` (after ${steps.map(({ name }) => name).join(', ')})`
      throw new Error(`the upgrade would fail${done}: ${reason(error)}`)
    }
    const began = performance.now()
    const faults = listFaults(copy)
    copy.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    return { steps, looking: performance.now() - began, before, after: sizeOf(path), faults }
  } finally {
    copy.raw.close()
  }
}
