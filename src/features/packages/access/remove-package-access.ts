import { writesPackage } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { packageOf } from '../find-version.ts'
import { packageInputs } from '../schema.ts'
import { accessRecord, changeRole, findHolder } from './roles.ts'
import { holderInputs, PackageAccess } from './schema.ts'

export const removePackageAccess = operation({
  name: 'remove_package_access',
  summary:
    'Take back the role that a person or a team has on a package itself (Admin of the package; people only). Answers with the roles that are left.',
  keywords: ['remove an owner of a package', 'stop sharing a package'],
  route: 'DELETE /workspaces/{workspace}/packages/{package_type}/{package_name}/access',
  toolset: 'packages',
  access: writesPackage('admin', { person: true, whileArchived: true }),
  input: Type.Object({ ...packageInputs, ...holderInputs }),
  output: PackageAccess,
  annotations: { idempotent: true },

  handler: ({ hearth, package: grant, write }, { username, team }) =>
    write((tx) => {
      const row = packageOf(tx.db, grant)
      const holder = findHolder(tx.db, grant, { username, team })
      if (holder !== null) changeRole(tx, row, holder, null)
      return accessRecord(hearth, row)
    }),
})
