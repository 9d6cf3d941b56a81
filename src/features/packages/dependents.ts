/** Packages of the same workspace and type whose latest version depends on another one. */
import type { Caller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import type { PackageType } from './schema.ts'
import type { PackageRow } from './store.ts'
import { listPackagesNaming, type DependencyPlace } from './store-lists.ts'
import { visiblePackages } from './visible-packages.ts'

const keysOf = (path: string): DependencyPlace => ({ path, named: 'key' })

/** Where the metadata of each type names what a version needs. Other types record nothing. */
const PLACES: Partial<Record<PackageType, readonly DependencyPlace[]>> = {
  npm: ['$.dependencies', '$.peerDependencies', '$.optionalDependencies'].map(keysOf),
  composer: ['$.require'].map(keysOf),
  cargo: [{ path: '$.deps', named: 'name' }],
  nuget: [{ path: '$.dependencyGroups', named: 'id' }],
  rubygems: [{ path: '$.dependencies', named: 'name' }],
}

/** Those that the caller may see, the most recently changed first. */
export function findDependents(
  hearth: Hearth,
  row: PackageRow,
  workspace: string,
  caller: Caller,
): { name: string; version: string }[] {
  const places = PLACES[row.type]
  const facts = hearth.facts.workspace(workspace, caller)
  if (places === undefined || facts === null) return []
  return listPackagesNaming(hearth.db, row, places, visiblePackages(hearth.db, facts, caller))
}
