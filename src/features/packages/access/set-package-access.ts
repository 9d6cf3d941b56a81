import { writesPackage } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { packageOf } from '../find-version.ts'
import { packageInputs } from '../schema.ts'
import { accessRecord, changeRole, requireHolder } from './roles.ts'
import { holderInputs, PackageAccess, PackageRole } from './schema.ts'

export const setPackageAccess = operation({
  name: 'set_package_access',
  summary:
    'Give a member of the workspace or a team a role on a package, or change it (Admin of the package; people only). Teams below inherit it. Answers with all roles.',
  keywords: ['let a team publish a package', 'add an owner of a package', 'share a package'],
  route: 'PUT /workspaces/{workspace}/packages/{package_type}/{package_name}/access',
  toolset: 'packages',
  access: writesPackage('admin', { person: true, whileArchived: true }),
  input: Type.Object({ ...packageInputs, ...holderInputs, role: PackageRole }),
  output: PackageAccess,
  annotations: { idempotent: true },

  handler: ({ hearth, package: grant, caller, write }, { username, team, role }) =>
    write((tx) => {
      const row = packageOf(tx.db, grant)
      changeRole(tx, row, requireHolder(tx.db, grant, caller, { username, team }), role)
      return accessRecord(hearth, row)
    }),
})
