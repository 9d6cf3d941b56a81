import { writesPackage } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { packageOf, requireNamedVersion } from './find-version.ts'
import { freedTime, markVersionDeleted, requireVersionRow } from './lifecycle.ts'
import { versionRecord } from './package-record.ts'
import { DeletedPackageVersion, packageInputs, VersionName } from './schema.ts'
import { countFreedBytes } from './store-versions.ts'

export const deletePackageVersion = operation({
  name: 'delete_package_version',
  summary:
    'Delete one version of a package (Admin of the package). It can be restored until purge_at, 30 days from now. Deleting the last version deletes the package.',
  keywords: ['unpublish a version', 'remove a version', 'delete a tag of an image'],
  route: 'DELETE /workspaces/{workspace}/packages/{package_type}/{package_name}/versions/{version}',
  toolset: 'packages',
  access: writesPackage('admin', { whileArchived: true }),
  input: Type.Object({ ...packageInputs, version: VersionName }),
  output: DeletedPackageVersion,
  annotations: { destructive: true, idempotent: true },

  handler: ({ hearth, package: grant, caller, write }, { version }) =>
    write((tx) => {
      const row = packageOf(tx.db, grant)
      const named = requireNamedVersion(tx.db, row, version, { deleted: true })
      const freed_bytes = countFreedBytes(tx.db, { version_id: named.id })
      if (named.deleted_at === null) markVersionDeleted(tx, row, named, caller)
      const deleted = requireVersionRow(tx, named.id)
      return {
        ...versionRecord(hearth, row, deleted),
        freed_bytes,
        freed_at: freedTime(deleted.purge_at ?? tx.now),
      }
    }),
})
