/** Connects a serving forge to its standby. */
import { layout } from '#src/app.ts'
import { holdSnapshot } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { replication } from '#core/replication.ts'
import { systemClock } from '#lib/time.ts'
import type { Primary } from '#src/standby/primary.ts'
import { readRole } from '#src/standby/role.ts'
import { CommandError } from '../command.ts'

/** Throws CommandError for a data directory that must not be served. */
export function requireServable(data: string, hasStandby: boolean): void {
  const { role, peer } = readRole(data)
  if (role === 'standby')
    throw new CommandError(
      `${data} is the copy of ${peer ?? 'another machine'}: "hearth standby follow" keeps it, and "hearth standby takeover" makes it serve`,
    )
  if (role === 'fenced' && !hasStandby)
    throw new CommandError(
      `${peer ?? 'another machine'} has taken over from ${data}: set standby.listen to read here, or follow that one with "hearth standby follow"`,
    )
}

/**
 * Watches the commits of a forge for its standby, and learns whether another machine has taken over.
 * Null when the settings name no standby. Throws CommandError when the port or the key is missing.
 */
export async function startPrimary(hearth: Hearth): Promise<Primary | null> {
  const { settings, database, writer, log } = hearth
  const { standby, data } = settings
  requireServable(data, standby !== null)
  if (standby === null) return null
  const read = (pragma: string): number =>
    Object.values(database.one<Record<string, number>>(`PRAGMA ${pragma}`) ?? {})[0] ?? 0
  try {
    // Most forges have no standby, so its code is loaded here.
    const { Primary } = await import('#src/standby/primary.ts')
    const { readPairKey } = await import('#src/standby/pair-key.ts')
    const primary = new Primary({
      ...standby,
      data,
      database: layout(data).database,
      pageSize: read('page_size'),
      pair: readPairKey(data),
      clock: systemClock,
      log,
      readVersion: () => read('data_version'),
      hold: () => holdSnapshot(layout(data).database),
      // An empty transaction reads what commands have committed.
      poke: () => void writer.write(() => null).catch(() => {}),
      onFenced: () => void hearth.jobs.stop(),
    })
    writer.observer = primary
    await primary.start(replication(hearth))
    return primary
  } catch (error) {
    throw new CommandError(
      `standby.listen ${standby.listen.host}:${standby.listen.port}: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}
