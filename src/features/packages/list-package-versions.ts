import { readsPackage } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { Type } from '#core/schema.ts'
import { packageOf } from './find-version.ts'
import { versionRecord } from './package-record.ts'
import { packageInputs, PackageVersions, StateInput } from './schema.ts'
import { countVersionRows, listVersionRows } from './store-versions.ts'

export const listPackageVersions = operation({
  name: 'list_package_versions',
  summary:
    'List the versions of a package, the newest first, each with its files and tags. Deleted ones are listed for admins of the package.',
  keywords: ['releases of a package', 'tags of an image', 'all versions of a package'],
  route: 'GET /workspaces/{workspace}/packages/{package_type}/{package_name}/versions',
  toolset: 'packages',
  access: readsPackage({ whileDeleted: true }),
  input: Type.Object({ ...packageInputs, state: StateInput, ...byPage() }),
  output: PackageVersions,
  list: 'page',

  handler: ({ hearth, db, package: grant }, { state = 'active', ...paging }) => {
    const row = packageOf(db, grant)
    const shown = grant.can('admin') ? state : 'active'
    if (shown !== state && state === 'deleted') return pageOf([], windowOf(paging), 0)
    const window = windowOf(paging)
    const rows = listVersionRows(db, row.id, shown, window)
    return pageOf(
      rows.map((version) => versionRecord(hearth, row, version)),
      window,
      countVersionRows(db, row.id, shown),
    )
  },
})
