import { readsPackage } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { packageOf } from './find-version.ts'
import { packageRecord } from './package-record.ts'
import { Package, packageInputs } from './schema.ts'

export const getPackage = operation({
  name: 'get_package',
  summary:
    'Read a package: address, latest version, linked repository, size and downloads. A deleted one is shown to admins of the package.',
  keywords: ['package details', 'latest version of a package', 'where is a package'],
  route: 'GET /workspaces/{workspace}/packages/{package_type}/{package_name}',
  toolset: 'packages',
  access: readsPackage({ whileDeleted: true }),
  input: Type.Object(packageInputs),
  output: Package,

  handler: ({ hearth, db, package: grant }) =>
    packageRecord(hearth, packageOf(db, grant), grant.role),
})
