import { readsPackage } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { packageOf, requireNamedVersion } from './find-version.ts'
import { versionRecord } from './package-record.ts'
import { packageInputs, PackageVersion, VersionName } from './schema.ts'

export const getPackageVersion = operation({
  name: 'get_package_version',
  summary:
    'Read one version of a package by its number, digest or tag: files with their digests, metadata as published, and who published it from which run.',
  keywords: ['details of a version', 'checksums of a package', 'digest of an image'],
  route: 'GET /workspaces/{workspace}/packages/{package_type}/{package_name}/versions/{version}',
  toolset: 'packages',
  access: readsPackage({ whileDeleted: true }),
  input: Type.Object({ ...packageInputs, version: VersionName }),
  output: PackageVersion,

  handler: ({ hearth, db, package: grant }, { version }) => {
    const row = packageOf(db, grant)
    const named = requireNamedVersion(db, row, version, { deleted: grant.can('admin') })
    return versionRecord(hearth, row, named)
  },
})
