import { writesPackage } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { invalid } from '#lib/errors.ts'
import { packageOf } from './find-version.ts'
import { freedTime, markPackageDeleted } from './lifecycle.ts'
import { packageRecord } from './package-record.ts'
import { purgePackage } from './purge-packages.ts'
import { DeletedPackage, packageInputs } from './schema.ts'
import { countFreedBytes } from './store-versions.ts'

export const deletePackage = operation({
  name: 'delete_package',
  summary:
    'Delete a package with all versions (Admin of the package). Give its name as confirm. It can be restored until purge_at, 30 days from now; deleting it once more purges it at once.',
  keywords: ['remove a package', 'unpublish a package', 'purge a package', 'delete an image'],
  route: 'DELETE /workspaces/{workspace}/packages/{package_type}/{package_name}',
  toolset: 'packages',
  access: writesPackage('admin', { whileDeleted: true, whileArchived: true }),
  input: Type.Object({
    ...packageInputs,
    confirm: Type.String({ maxLength: 300, description: 'The name of the package, to be sure.' }),
  }),
  output: DeletedPackage,
  annotations: { destructive: true },

  handler: ({ hearth, package: grant, caller, write }, { confirm }) =>
    write((tx) => {
      const row = packageOf(tx.db, grant)
      if (confirm !== row.name)
        throw invalid('confirm', `confirm must be the name of the package: ${row.name}`)
      const freed_bytes = countFreedBytes(tx.db, { package_id: row.id })
      const isPurge = row.deleted_at !== null
      const deleted = isPurge ? { ...row, purge_at: tx.now } : markPackageDeleted(tx, row, caller)
      const record = packageRecord(hearth, deleted, grant.role)
      if (isPurge) purgePackage(tx, row)
      return { ...record, freed_bytes, freed_at: freedTime(deleted.purge_at ?? tx.now) }
    }),
})
