import { writesPackage } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { packageOf } from './find-version.ts'
import { auditPackage, updateTotals } from './lifecycle.ts'
import { packageRecord } from './package-record.ts'
import { Package, packageInputs } from './schema.ts'
import { setPackage } from './store.ts'
import { unmarkVersionsDeleted } from './store-versions.ts'

export const restorePackage = operation({
  name: 'restore_package',
  summary:
    'Restore a deleted package with the versions that were deleted with it (Admin of the package), until purge_at.',
  keywords: ['undelete a package', 'bring back a package'],
  route: 'POST /workspaces/{workspace}/packages/{package_type}/{package_name}/restore',
  toolset: 'packages',
  access: writesPackage('admin', { whileDeleted: true, whileArchived: true }),
  input: Type.Object(packageInputs),
  output: Package,
  annotations: { idempotent: true },

  handler: ({ hearth, package: grant, write }) =>
    write((tx) => {
      const row = packageOf(tx.db, grant)
      if (row.deleted_at !== null) {
        unmarkVersionsDeleted(tx, row.id)
        setPackage(tx, row.id, { deleted_at: null, deleted_by: null, purge_at: null })
        auditPackage(tx, 'package.restored', row, { before: { deleted_at: row.deleted_at } })
      }
      return packageRecord(hearth, updateTotals(tx, row.id), grant.role)
    }),
})
