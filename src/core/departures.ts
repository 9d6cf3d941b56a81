/**
 * Workspaces that another forge serves now. Every address with their names leads there, and nothing
 * of theirs can be read or changed here any more.
 */
import type { Db } from './db.ts'
import { extensionPoint } from './extension-points.ts'
import type { Hearth } from './hearth.ts'
import { service } from './service.ts'

/** Lists their addresses there by their names here. Called once for each version of the database. */
export const departures = extensionPoint<(db: Db) => ReadonlyMap<string, string>>('core.departures')

type Known = { version: string | null; addresses: ReadonlyMap<string, string> }

const known = service('departed workspaces', (): Known => ({ version: null, addresses: new Map() }))

/** They are few, and each request asks, so they are read again only after a change of anything. */
export function departedWorkspaces(hearth: Hearth): ReadonlyMap<string, string> {
  const memo = known(hearth)
  const version = hearth.database.version?.() ?? null
  if (version === null || memo.version !== version) {
    memo.version = version
    memo.addresses = new Map(departures.all(hearth).flatMap((list) => [...list(hearth.db)]))
  }
  return memo.addresses
}
