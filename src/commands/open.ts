/** Opens the forge for commands, also while a server runs. */
import { layout, openHearth } from '#src/app.ts'
import { loadConfig } from '#src/config.ts'
import { takeLock } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { Fence } from '#src/standby/fence.ts'
import { readRole } from '#src/standby/role.ts'
import { createLog } from '#lib/log.ts'
import { existsSync, readFileSync } from 'node:fs'
import { CommandError, text, type Flags } from './command.ts'
import { requireOwnData } from './own-data.ts'

/** The control file of a serving process: its address and process id. */
export type Serving = { pid: number; site_url: string }

/** The process that serves a data directory, or null. Only a running process holds the lock. */
export function findServing(data: string): Serving | null {
  const { control, lock } = layout(data)
  if (!existsSync(lock)) return null
  const release = takeLock(lock)
  if (release) {
    release()
    return null
  }
  try {
    return JSON.parse(readFileSync(control, 'utf8')) as Serving
  } catch {
    return null
  }
}

/** Runs a function with an open forge. Throws CommandError when there is none, unless `create`. */
export async function withHearth<T>(
  flags: Flags,
  run: (hearth: Hearth) => Promise<T>,
  options: { create?: boolean } = {},
): Promise<T> {
  const config = loadConfig({ data: text(flags.data), config: text(flags.config) })
  if (!options.create && !existsSync(layout(config.data).database)) {
    throw new CommandError(`there is no forge in ${config.data}; name its directory with --data`)
  }
  requireOwnData(config.data)
  const { role, peer } = readRole(config.data)
  if (role === 'standby')
    throw new CommandError(`${config.data} is the copy of ${peer}, where this command belongs`)
  const serving = findServing(config.data)
  const settings = config.settings(config.listen)
  // Printed links must have the address of the serving process.
  const site_url = serving?.site_url ?? settings.site_url
  const hearth = openHearth({
    settings: { ...settings, site_url, base_url: `${site_url}/api`, mcp_url: `${site_url}/mcp` },
    log: createLog({ level: 'warn', json: false }),
    beside: true,
  })
  if (role === 'fenced') hearth.writer.observer = new Fence(peer)
  try {
    return await run(hearth)
  } finally {
    await hearth.close()
  }
}
