import type { PackageGrant } from '#core/access.ts'
import type { Db } from '#core/db.ts'
import { notFound } from '#lib/errors.ts'
import { formatOf } from './formats/index.ts'
import { requirePackage, type PackageRow } from './store.ts'
import { findTag, findVersion, versionById, type VersionRow } from './store-versions.ts'

/** The row that a grant is for. Throws 404 when it was purged meanwhile. */
export const packageOf = (db: Db, grant: Pick<PackageGrant, 'id'>): PackageRow =>
  requirePackage(db, grant.id)

/**
 * The version that a number, a digest or a tag names. Throws 404 for none, and for a deleted one
 * unless `deleted` is true.
 */
export function requireNamedVersion(
  db: Db,
  row: PackageRow,
  name: string,
  { deleted = false }: { deleted?: boolean } = {},
): VersionRow {
  const normal = formatOf(row.type)?.normalVersion(name) ?? name
  const tagged = findTag(db, row.id, name)
  const version =
    findVersion(db, row.id, normal) ?? (tagged ? versionById(db, tagged.version_id) : null)
  if (!version || (version.deleted_at !== null && !deleted))
    throw notFound(`the version ${name.slice(0, 200)} of ${row.name}`)
  return version
}
