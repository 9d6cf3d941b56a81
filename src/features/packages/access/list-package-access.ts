import { readsPackageAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { packageOf } from '../find-version.ts'
import { packageInputs } from '../schema.ts'
import { accessRecord } from './roles.ts'
import { PackageAccess } from './schema.ts'

export const listPackageAccess = operation({
  name: 'list_package_access',
  summary:
    'List the people and teams that have a role on a package itself (Admin of the package). Owners of the workspace are admins besides, and roles of the linked repository count.',
  keywords: ['who may publish a package', 'owners of a package', 'maintainers of a package'],
  route: 'GET /workspaces/{workspace}/packages/{package_type}/{package_name}/access',
  toolset: 'packages',
  access: readsPackageAs('admin'),
  input: Type.Object(packageInputs),
  output: PackageAccess,

  handler: ({ hearth, db, package: grant }) => accessRecord(hearth, packageOf(db, grant)),
})
