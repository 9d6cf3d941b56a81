import { writesPackage } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { packageOf } from './find-version.ts'
import { auditPackage } from './lifecycle.ts'
import { packageRecord } from './package-record.ts'
import { Package, packageInputs } from './schema.ts'
import { requirePackage, setPackage } from './store.ts'

export const unlinkPackage = operation({
  name: 'unlink_package',
  summary:
    'End the link between a package and its repository (Admin of the package). It keeps its visibility; roles of the repository no longer count.',
  keywords: ['disconnect a package from its repository'],
  route: 'DELETE /workspaces/{workspace}/packages/{package_type}/{package_name}/repository',
  toolset: 'packages',
  access: writesPackage('admin', { scope: 'packages:write', whileArchived: true }),
  input: Type.Object(packageInputs),
  output: Package,
  annotations: { idempotent: true },

  handler: ({ hearth, package: grant, write }) =>
    write((tx) => {
      const row = packageOf(tx.db, grant)
      if (row.repo_id !== null) {
        setPackage(tx, row.id, { repo_id: null })
        auditPackage(tx, 'package.unlinked', row, { before: { repository: row.repo_id } })
      }
      return packageRecord(hearth, requirePackage(tx.db, row.id), grant.role)
    }),
})
