import { writesPackage } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { packageOf, requireNamedVersion } from './find-version.ts'
import { auditPackage, requireVersionRow, updateTotals } from './lifecycle.ts'
import { versionRecord } from './package-record.ts'
import { packageInputs, PackageVersion, VersionName } from './schema.ts'
import { setPackage } from './store.ts'
import { setVersion } from './store-versions.ts'

export const restorePackageVersion = operation({
  name: 'restore_package_version',
  summary:
    'Restore a deleted version of a package (Admin of the package), until purge_at. When the package was deleted, it is restored with this version.',
  keywords: ['undelete a version', 'bring back a version'],
  route:
    'POST /workspaces/{workspace}/packages/{package_type}/{package_name}/versions/{version}/restore',
  toolset: 'packages',
  access: writesPackage('admin', { whileDeleted: true, whileArchived: true }),
  input: Type.Object({ ...packageInputs, version: VersionName }),
  output: PackageVersion,
  annotations: { idempotent: true },

  handler: ({ hearth, package: grant, write }, { version }) =>
    write((tx) => {
      const row = packageOf(tx.db, grant)
      const named = requireNamedVersion(tx.db, row, version, { deleted: true })
      if (named.deleted_at !== null) {
        setVersion(tx, named.id, {
          deleted_at: null,
          deleted_by: null,
          purge_at: null,
          deleted_with_package: 0,
        })
        setPackage(tx, row.id, { deleted_at: null, deleted_by: null, purge_at: null })
        updateTotals(tx, row.id)
        auditPackage(tx, 'package.version_restored', row, {
          version: named.version,
          before: { deleted_at: named.deleted_at },
        })
      }
      return versionRecord(hearth, row, requireVersionRow(tx, named.id))
    }),
})
